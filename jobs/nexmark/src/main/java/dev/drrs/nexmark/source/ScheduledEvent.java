package dev.drrs.nexmark.source;

import dev.drrs.nexmark.generator.Event;

/**
 * An event and the wall clock time, epoch ms, at which it should have been emitted. Latency counts
 * from that time, not from the real emission, so that a stall of the source is not hidden.
 */
public record ScheduledEvent(long scheduleMs, Event event) {

    /** Schedule time of what has none: preload events. */
    public static final long NONE = 0;

    /** Whether it only asks for the state of a key. */
    public boolean isPreload() {
        return event instanceof Event.Preload;
    }

    public boolean isBid() {
        return event instanceof Event.Bid;
    }

    /** The event as a bid; a {@link ClassCastException} if it is none. */
    public Event.Bid bid() {
        return (Event.Bid) event;
    }
}
