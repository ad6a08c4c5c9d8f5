package dev.drrs.runtime.role;

/**
 * When the next bytes of a copy may go, so that no more than a number of bytes per second does:
 * each piece takes the time that its length takes at that rate. Time that nobody used is not made
 * up for. In the copying thread, but for {@link #rate}.
 */
final class CopyPace {

    private static final double NANOS_PER_SECOND = 1e9;

    private volatile long rate;

    /** Nanoseconds, when the next piece may go. */
    private long due;

    /** Whether {@link #due} says anything. */
    private boolean begun;

    /**
     * Any thread; for what is sent next.
     *
     * @param bytesPerSecond 0: no limit
     */
    void rate(long bytesPerSecond) {
        rate = bytesPerSecond;
    }

    /** Nanoseconds from now on until the next piece may go; 0 or less: it may. */
    long nanosLeft(long now) {
        return begun && rate > 0 ? due - now : 0;
    }

    void sent(int bytes, long now) {
        if (rate > 0) {
            due = now + (long) (bytes * NANOS_PER_SECOND / rate);
            begun = true;
        }
    }
}
