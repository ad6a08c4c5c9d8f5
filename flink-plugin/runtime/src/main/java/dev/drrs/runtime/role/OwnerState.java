package dev.drrs.runtime.role;

import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.state.SubscaleTimers;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;
import java.util.Arrays;

/**
 * Keyed state and timers of the operator at the head of a subtask, as they are moved: out of reach
 * until the first rescale asks for them, so that they cost nothing before. Mailbox thread only.
 */
final class OwnerState {

    private static final int SIZE_SAMPLES = 4;

    private final HeadOperator head;
    private final StateTransfer transfer;
    private final int chunkBytes;

    private final StateSupport support = new StateSupport(StateBackends.ALL);
    private MovableState state;

    /** As they were asked for last in this rescale; null if they were not. */
    private StateSizes sizes;

    /**
     * @param chunkBytes about how large a piece of state on its way is
     */
    OwnerState(HeadOperator head, StateTransfer transfer, int chunkBytes) {
        this.head = head;
        this.transfer = transfer;
        this.chunkBytes = chunkBytes;
    }

    /** Reaches for state and timers, if that has not been done. */
    void prepare() {
        if (state != null) {
            return;
        }
        state = support.movable(head.operator(), chunkBytes);
        transfer.state(state);
    }

    /** Whether it can be moved at all. */
    StateSupport support() {
        return support;
    }

    /** {@link #prepare} goes before. */
    MovableState movable() {
        return state;
    }

    /** {@link #prepare} goes before. */
    SubscaleTimers timers() {
        return state.timers();
    }

    /** As {@link SubscaleTimers#rescan}; there is nothing to look for before {@link #prepare}. */
    void rescanTimers() {
        if (state != null) {
            state.timers().rescan();
        }
    }

    /** By key group, from samples; {@link #prepare} goes before. */
    StateSizes sizes() {
        sizes = state.mover().sizes(SIZE_SAMPLES);
        return sizes;
    }

    /**
     * About how many bytes of serialized state key groups have, by {@link #sizes} as they were
     * asked for last in this rescale, or are now if nobody has asked. Of a key group that has come
     * since then nothing is known, which is 0. {@link #prepare} goes before.
     *
     * @throws RescaleFailedException if an entry cannot be serialized
     */
    long[] bytes(int... keyGroups) throws RescaleFailedException {
        if (sizes == null) {
            try {
                sizes();
            } catch (RuntimeException e) { // of the user's serializers
                throw new RescaleFailedException("the size of key groups is not known", e);
            }
        }
        return Arrays.stream(keyGroups).mapToLong(sizes::bytes).toArray();
    }

    /** What was asked for outside of a rescale is older than its first question. */
    void forgetSizes() {
        sizes = null;
    }
}
