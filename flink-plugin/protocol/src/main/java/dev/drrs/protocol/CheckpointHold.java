package dev.drrs.protocol;

import java.util.function.LongSupplier;

/**
 * Holds back periodic checkpoints while key groups move, and for as long again afterwards, a few
 * seconds at most, each for a bounded time only. While one is under way no subscale can start; and
 * barriers that meet what has piled up at one subtask keep the consumers from the results of all
 * others until that is worked off. What somebody has asked for is not held, and is not told of
 * here. Times in nanoseconds. Single-threaded.
 */
public final class CheckpointHold {

    /** What had piled up after some seconds of moving was worked off in one or two. */
    static final long LONGEST_REST = 3_000_000_000L;

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

    /** When the first of the key groups that move began to, and when the last ones did not. */
    private long movingSince;

    private long movedAt;

    /** For how long after that it is not calm yet. */
    private long rest;

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
        if (moving++ == 0) {
            movingSince = clock.getAsLong();
        }
    }

    /** Those of one rescale move no longer. A checkpoint that is held may go when it is calm. */
    public void end() {
        if (moving == 0) {
            throw new IllegalStateException("no key groups move");
        }
        if (--moving == 0) {
            movedAt = clock.getAsLong();
            rest = Math.min(Math.min(bound, LONGEST_REST), movedAt - movingSince);
        }
    }

    /** What has piled up while key groups moved is worked off, as far as anybody knows: 0. */
    public long untilCalm() {
        return rest == 0 ? 0 : Math.max(0, movedAt + rest - clock.getAsLong());
    }

    /** What has piled up is gone. */
    public void calm() {
        rest = 0;
    }

    /**
     * A periodic checkpoint is due.
     *
     * @return for how long it is to wait before it asks again; 0 if it may go
     */
    public long hold() {
        if (state == State.NONE && bound > 0 && (moving > 0 || untilCalm() > 0)) {
            state = State.HELD;
            since = clock.getAsLong();
        }
        if (state != State.HELD) {
            return 0;
        }
        long left = since + bound - clock.getAsLong();
        if (moving == 0) {
            left = Math.min(left, untilCalm());
        }
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
