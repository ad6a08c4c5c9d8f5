package dev.drrs.protocol;

import java.util.function.LongSupplier;

/**
 * Holds back periodic checkpoints while key groups move, each for a bounded time only: while one is
 * under way no subscale can start. What somebody has asked for is not held, and is not told of
 * here. Times in nanoseconds. Single-threaded.
 */
public final class CheckpointHold {

    private enum State {
        /** No periodic checkpoint is due, or it is free to go. */
        NONE,
        HELD,
        /** It was held for long enough: it is to go, whatever begins meanwhile. */
        OVER
    }

    private final LongSupplier clock;
    private long bound;
    private int moving;
    private State state = State.NONE;
    private long since;
    private long total;

    /**
     * @param clock as {@link System#nanoTime}
     */
    public CheckpointHold(LongSupplier clock) {
        this.clock = clock;
    }

    /** How long a checkpoint is held at most; 0, as at first: none is. */
    public void bound(long nanos) {
        bound = nanos;
    }

    /** Key groups of one rescale more begin to move. */
    public void begin() {
        moving++;
    }

    /**
     * Those of one rescale move no longer.
     *
     * @return whether a checkpoint was held that may go now
     */
    public boolean end() {
        if (moving == 0) {
            throw new IllegalStateException("no key groups move");
        }
        moving--;
        boolean release = moving == 0 && state == State.HELD;
        if (release) {
            leave(State.NONE);
        }
        return release;
    }

    /**
     * A periodic checkpoint is due.
     *
     * @return for how long it is to wait before it asks again; 0 if it may go
     */
    public long hold() {
        if (state == State.NONE && moving > 0 && bound > 0) {
            state = State.HELD;
            since = clock.getAsLong();
        }
        if (state != State.HELD) {
            return 0;
        }
        long left = since + bound - clock.getAsLong();
        if (left > 0) {
            return left;
        }
        leave(State.OVER);
        return 0;
    }

    /** The checkpoint that was due has begun, or is not wanted any more. */
    public void gone() {
        leave(State.NONE);
    }

    private void leave(State next) {
        if (state == State.HELD) {
            total += clock.getAsLong() - since;
        }
        state = next;
    }

    /** Whether a checkpoint is held now. */
    public boolean isHolding() {
        return state == State.HELD;
    }

    /** For how long checkpoints have been held, in all and up to now. */
    public long total() {
        return state == State.HELD ? total + clock.getAsLong() - since : total;
    }
}
