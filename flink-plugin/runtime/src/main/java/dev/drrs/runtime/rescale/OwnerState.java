package dev.drrs.runtime.rescale;

import dev.drrs.runtime.state.HeapKeyedStateMover;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.state.SubscaleTimers;

/**
 * Keyed state and timers of the operator at the head of a subtask, as they are moved: out of reach
 * until the first rescale asks for them, so that they cost nothing before. Mailbox thread only.
 */
final class OwnerState {

    private static final int SIZE_SAMPLES = 4;

    private final HeadOperator head;
    private final StateTransfer transfer;
    private final int chunkBytes;

    private HeapKeyedStateMover mover;
    private SubscaleTimers timers;

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
        if (mover != null) {
            return;
        }
        mover = HeapKeyedStateMover.of(head.operator(), chunkBytes);
        timers = SubscaleTimers.of(head.operator());
        transfer.mover(mover);
    }

    /** Null before {@link #prepare}. */
    SubscaleTimers timers() {
        return timers;
    }

    /** By key group, from samples; {@link #prepare} goes before. */
    StateSizes sizes() {
        return mover.sizes(SIZE_SAMPLES);
    }
}
