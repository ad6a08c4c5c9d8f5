package dev.drrs.runtime.role;

import dev.drrs.runtime.LostService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Has threads rest after their work as long as the machine has nothing left for it, so that they
 * take no more of it than their share. Any thread.
 */
final class Throttle {

    /** A thread that others kept from its work is not to rest for that as well. */
    static final long LONGEST_NANOS = MachineLoad.SAMPLE_NANOS;

    private final BooleanSupplier nothingLeft;

    /**
     * @param nothingLeft whether the machine's cores are busy
     */
    Throttle(BooleanSupplier nothingLeft) {
        this.nothingLeft = nothingLeft;
    }

    /**
     * Blocks for as long as is due.
     *
     * @param worked nanoseconds since the last rest
     * @param unless asked at first, and at each change: ends the rest
     */
    void rest(LostService budget, long worked, BooleanSupplier unless) throws InterruptedException {
        long rest = Math.min(LONGEST_NANOS, budget.restAfter(worked));
        if (rest > 0 && nothingLeft.getAsBoolean()) {
            await(rest, unless);
        }
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

    /** Somebody who rests may not have to any more. */
    synchronized void changed() {
        notifyAll();
    }
}
