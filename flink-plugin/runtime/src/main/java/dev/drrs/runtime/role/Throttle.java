package dev.drrs.runtime.role;

import dev.drrs.runtime.LostService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Has a thread rest after its work as long as the machine has nothing left for it, so that it takes
 * no more of it than its share. That thread's, but for {@link #changed}.
 */
final class Throttle {

    /** A thread that others kept from its work is not to rest for that as well. */
    static final long LONGEST_NANOS = MachineLoad.SAMPLE_NANOS;

    /** Shorter ones are added up: a thread sleeps a millisecond at least, whatever it asks for. */
    static final long SHORTEST_NANOS = 5_000_000;

    private final BooleanSupplier nothingLeft;

    /** The rest that is due, nanoseconds. */
    private long due;

    /**
     * @param nothingLeft whether the machine's cores are busy
     */
    Throttle(BooleanSupplier nothingLeft) {
        this.nothingLeft = nothingLeft;
    }

    /**
     * Blocks for as long as is due, if that is long enough.
     *
     * @param worked nanoseconds since the last call
     * @param unless asked at first, and at each change: ends the rest
     */
    void rest(LostService budget, long worked, BooleanSupplier unless) throws InterruptedException {
        due = Math.min(LONGEST_NANOS, due + budget.restAfter(worked));
        if (due < SHORTEST_NANOS) {
            return;
        }
        if (nothingLeft.getAsBoolean()) {
            await(due, unless);
        }
        due = 0;
    }

    private synchronized void await(long nanos, BooleanSupplier unless)
            throws InterruptedException {
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0 && !unless.getAsBoolean()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
    }

    /** Whoever rests may not have to any more. Any thread. */
    synchronized void changed() {
        notifyAll();
    }
}
