package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.Opening;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.io.Serializable;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives an operator a capacity without burning CPU: each event occupies it for a set time, in which
 * the task's thread sleeps. Sleeps end late by tens of microseconds; the server's clock makes that
 * good at the next event, so that the mean is right. One instance per subtask.
 */
final class ServiceTime implements Serializable {

    /**
     * Shorter waits are left to add up: the timer slack of the system would be a large part of
     * them.
     */
    private static final long SHORTEST_PARK_NANOS = 100_000;

    /**
     * So much idle time counts as already used for the next events; it covers late wake-ups, not
     * more.
     */
    private static final long CREDIT_NANOS = 1_000_000;

    private final long nanos;
    private final long hotKey;
    private final long hotNanos;
    private final Opening end;

    private transient ScheduledEvent last;
    private transient long busyUntil;

    /**
     * Times in microseconds.
     *
     * @param hotMicros 0 = no key is hot
     * @param end what ends all waits; null = nothing does
     */
    ServiceTime(long micros, long hotKey, long hotMicros, Opening end) {
        this.nanos = micros * 1000;
        this.hotKey = hotKey;
        this.hotNanos = hotMicros * 1000;
        this.end = end;
    }

    /** Occupies the operator with an event, once however many windows the event belongs to. */
    void serve(ScheduledEvent event, long key) {
        if (event == last) {
            return;
        }
        last = event;
        long time = hotNanos > 0 && key == hotKey ? hotNanos : nanos;
        if (time == 0 || end != null && end.isOpen()) {
            return;
        }
        long now = System.nanoTime();
        busyUntil = Math.max(busyUntil == 0 ? now : busyUntil, now - CREDIT_NANOS) + time;
        while (busyUntil - now >= SHORTEST_PARK_NANOS) {
            LockSupport.parkNanos(busyUntil - now);
            if (Thread.currentThread().isInterrupted()) {
                return; // the task is being cancelled; the park would return at once, over and over
            }
            now = System.nanoTime();
        }
    }
}
