package dev.drrs.runtime.message;

import java.io.Serializable;

/**
 * How long several things of one kind waited.
 *
 * @param count how many
 * @param totalNanos of all of them, nanoseconds
 * @param longestNanos of one, nanoseconds
 */
public record WaitTimes(long count, long totalNanos, long longestNanos) implements Serializable {

    public static final WaitTimes NONE = new WaitTimes(0, 0, 0);

    private static final long MILLI = 1_000_000;

    /** One more. */
    public WaitTimes plus(long nanos) {
        return plus(new WaitTimes(1, nanos, nanos));
    }

    public WaitTimes plus(WaitTimes others) {
        return new WaitTimes(
                count + others.count,
                totalNanos + others.totalNanos,
                Math.max(longestNanos, others.longestNanos));
    }

    public long totalMillis() {
        return totalNanos / MILLI;
    }

    public long longestMillis() {
        return longestNanos / MILLI;
    }
}
