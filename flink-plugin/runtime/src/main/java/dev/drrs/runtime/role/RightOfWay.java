package dev.drrs.runtime.role;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Lets work that can wait stand still while other work is to be done. Any thread. */
final class RightOfWay {

    private int urgent;

    /** Some work has it from now on, until {@link #leave}. */
    synchronized void enter() {
        urgent++;
    }

    synchronized void leave() {
        urgent--;
        notifyAll();
    }

    /** Somebody who waits may not have to any more. */
    synchronized void changed() {
        notifyAll();
    }

    /**
     * Blocks as long as other work has it.
     *
     * @param unless asked at first, and at each change: ends the wait
     */
    synchronized void giveWay(BooleanSupplier unless) throws InterruptedException {
        while (urgent > 0 && !unless.getAsBoolean()) {
            wait();
        }
    }

    /**
     * Blocks for a time, whether or not other work has it.
     *
     * @param unless asked at first, and at each change: ends the wait
     */
    synchronized void pause(long nanos, BooleanSupplier unless) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (long left = nanos;
                left > 0 && !unless.getAsBoolean();
                left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
