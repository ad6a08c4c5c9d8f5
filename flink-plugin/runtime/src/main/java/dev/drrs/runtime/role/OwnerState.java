package dev.drrs.runtime.role;

import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.state.SubscaleTimers;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.supported.StateSupport;

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
        return state.mover().sizes(SIZE_SAMPLES);
    }
}
