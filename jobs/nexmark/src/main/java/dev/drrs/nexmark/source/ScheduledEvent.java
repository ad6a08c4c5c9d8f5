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

    public boolean isPerson() {
        return event instanceof Event.Person;
    }

    /** The event as a bid; a {@link ClassCastException} if it is none. */
    public Event.Bid bid() {
        return (Event.Bid) event;
    }

    /** The event as an auction; a {@link ClassCastException} if it is none. */
    public Event.Auction auction() {
        return (Event.Auction) event;
    }

    /** The event as a person; a {@link ClassCastException} if it is none. */
    public Event.Person person() {
        return (Event.Person) event;
    }
}
