package dev.drrs.protocol;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A consumer's part of rule R6, for the channels of one input gate: what an old owner has made of a
 * key group is taken before anything that its new owner makes of it. A channel on which results of
 * the new owner begin is not read on until those of the old owner have ended on the other channel;
 * all other channels are read on.
 *
 * <p>Nobody waits for ever: the end was sent before the state left for the new owner, so before the
 * beginning; channels that waited for each other in a circle would each have been sent something
 * before the other. Single-threaded.
 */
public final class ResultOrder {

    /** What the consumer does. Called within the calls of the order. */
    public interface Effects {

        /** Read nothing more of the channel, the element at hand excepted. */
        void hold(int channel);

        /** Read the channel again. */
        void resume(int channel);

        /** The old owner's results of the subscale are taken here. */
        void passed(int subscale);
    }

    private final Effects effects;

    /** Ended and not begun. */
    private final Set<Integer> ended = new HashSet<>();

    /** Begun and not ended: by subscale the channel that is held for it. */
    private final Map<Integer, Integer> held = new HashMap<>();

    public ResultOrder(Effects effects) {
        this.effects = effects;
    }

    /** The old owner's results have ended, on its channel or wherever they go to. */
    public void onEnd(int subscale) {
        effects.passed(subscale);
        Integer channel = held.remove(subscale);
        if (channel == null) {
            ended.add(subscale);
        } else {
            effects.resume(channel);
        }
    }

    /** The new owner's results begin on this channel. */
    public void onBegin(int channel, int subscale) {
        if (!ended.remove(subscale)) {
            held.put(subscale, channel);
            effects.hold(channel);
        }
    }
}
