package dev.drrs.runtime.role;

import java.util.function.LongSupplier;

/**
 * How much of a slice went to records and timers that had waited in subscales: that is the task's
 * own work, done a little later, and no service that is lost to the rescale; but other records wait
 * for it. Measured within a slice only. Mailbox thread only.
 */
final class ServedTime {

    private final LongSupplier clock;
    private boolean inSlice;
    private long nanos;

    /**
     * @param clock as {@link System#nanoTime}
     */
    ServedTime(LongSupplier clock) {
        this.clock = clock;
    }

    void sliceBegins() {
        inSlice = true;
        nanos = 0;
    }

    /**
     * @return nanoseconds of the slice
     */
    long sliceEnds() {
        inSlice = false;
        return nanos;
    }

    /** Before a record or a timer; what it returns is for {@link #end}. */
    long begin() {
        return inSlice ? clock.getAsLong() : 0;
    }

    void end(long began) {
        if (inSlice) {
            nanos += clock.getAsLong() - began;
        }
    }
}
