package dev.drrs.runtime.role;

import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * The channels of a subtask's broadcast inputs. In a rescale they stand still, each at its barrier:
 * all subtasks have then taken the same elements of each, so that a key group sees every element
 * once, whoever owns it. Mailbox thread only.
 */
final class BroadcastInputs {

    private final OwnerInputs inputs;
    private final IntPredicate isBroadcast;
    private final BitSet stopped = new BitSet();
    private final BitSet ended = new BitSet();

    /** No barrier comes, as all producers have said their end: that is what is waited for. */
    private boolean awaitsEnd;

    /** The rescale that they stand still for. */
    private int rescale = -1;

    /** The last rescale after which they went on; a barrier of it that comes late stops nothing. */
    private int over = -1;

    /**
     * @param isBroadcast whether an input is
     */
    BroadcastInputs(OwnerInputs inputs, IntPredicate isBroadcast) {
        this.inputs = inputs;
        this.isBroadcast = isBroadcast;
    }

    boolean has(int channel) {
        return isBroadcast.test(inputs.inputOf(channel));
    }

    /** Those of active producers that have not ended. */
    BitSet channels() {
        BitSet channels = new BitSet();
        for (int channel = 0; channel < inputs.channels(); channel++) {
            if (has(channel) && inputs.joined(channel) && !inputs.silent(channel)) {
                channels.set(channel);
            }
        }
        channels.andNot(ended);
        return channels;
    }

    /**
     * The producer of a channel has ended.
     *
     * @return whether that leaves all others standing still
     */
    boolean end(int channel) {
        ended.set(channel);
        return has(channel) && (awaitsEnd || !stopped.isEmpty()) && stopped.equals(channels());
    }

    /**
     * All producers have said their end. It may still be on its way here, behind elements that
     * other subtasks have taken.
     *
     * @return whether it has come on all channels
     */
    boolean awaitEnd(int forRescale) {
        if (forRescale <= over) {
            return false;
        }
        rescale = forRescale;
        awaitsEnd = true;
        return channels().isEmpty();
    }

    /**
     * A barrier has come.
     *
     * @return whether all channels stand still now
     */
    boolean stop(int channel, int forRescale) {
        if (forRescale <= over) {
            return false;
        }
        rescale = forRescale;
        inputs.hold(channel);
        stopped.set(channel);
        return stopped.equals(channels());
    }

    int rescale() {
        return rescale;
    }

    /** They go on. */
    void resume(int ofRescale) {
        over = Math.max(over, ofRescale);
        stopped.stream().forEach(inputs::resume);
        stopped.clear();
        awaitsEnd = false;
    }
}
