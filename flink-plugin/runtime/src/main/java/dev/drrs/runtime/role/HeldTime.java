package dev.drrs.runtime.role;

import java.util.function.LongSupplier;

/**
 * How long a subtask had at least one channel it could not read on: its suspension. Mailbox thread
 * only.
 */
final class HeldTime {

    private final LongSupplier nanoClock;
    private int channels;
    private long since;
    private long nanos;

    HeldTime(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    void more() {
        if (channels++ == 0) {
            since = nanoClock.getAsLong();
        }
    }

    void less() {
        if (--channels == 0) {
            nanos += nanoClock.getAsLong() - since;
        }
    }

    long millis() {
        return nanos / 1_000_000;
    }

    void reset() {
        nanos = 0;
    }
}
