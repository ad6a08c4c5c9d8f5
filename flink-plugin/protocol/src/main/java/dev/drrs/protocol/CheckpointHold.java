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

    /** When the first of the key groups that move began to. */
    private long movingSince;

    /** When all that has piled up is worked off, also behind earlier rescales. */
    private long calmAt;

    private State state = State.NONE;
    private long since;
    private long total;

    /**
     * @param clock as {@link System#nanoTime}
     */
    public CheckpointHold(LongSupplier clock) {
        this.clock = clock;
        calm();
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
            long now = clock.getAsLong();
            long rest = Math.min(Math.min(bound, LONGEST_REST), now - movingSince);
            calmAt = now + Math.max(untilCalm(), rest);
        }
    }

    /** What has piled up while key groups moved is worked off, as far as anybody knows: 0. */
    long untilCalm() {
        return Math.max(0, calmAt - clock.getAsLong());
    }

    /** What has piled up is gone. */
    public void calm() {
        calmAt = clock.getAsLong();
    }

    /**
     * How much longer a checkpoint has to wait that is due, or owed, since then: until it is calm,
     * and not beyond the bound. 0 if it may go.
     */
    public long left(long dueSince) {
        long left = dueSince + bound - clock.getAsLong();
        return Math.max(0, moving > 0 ? left : Math.min(left, untilCalm()));
    }

    /**
     * A periodic checkpoint is due.
     *
     * @return for how long it is to wait before it asks again; 0 if it may go
     */
    public long hold() {
        long now = clock.getAsLong();
        if (state == State.NONE && left(now) > 0) {
            state = State.HELD;
            since = now;
        }
        if (state != State.HELD) {
            return 0;
        }
        long left = left(since);
        if (left == 0) {
            release();
        }
        return left;
    }

    /** One that is held may go. */
    public void release() {
        if (state == State.HELD) {
            leave(State.OVER);
        }
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
