package dev.drrs.protocol;

/**
 * What an old owner sends to a new owner on the peer exchange, in order per subscale.
 *
 * @param <E> a record of the host
 */
public sealed interface PeerElement<E> {

    int subscale();

    /**
     * First element: the old owner's valve when it began to track ({@link EventClock#fromLongs}).
     */
    record ValveCopy<E>(int subscale, long[] valve) implements PeerElement<E> {}

    /**
     * A watermark or status the old owner has taken in on the channel.
     *
     * @param value milliseconds, or for a status 1 for idle and 0 for active
     */
    record Time<E>(int subscale, int channel, boolean isStatus, long value)
            implements PeerElement<E> {}

    /** The channel holds the old owner's event time from here on. */
    record Hold<E>(int subscale, int channel) implements PeerElement<E> {}

    /**
     * The key groups have left the old owner; their state may be pulled.
     *
     * @param timers if the strategy heeds them, {@link GateEffects#firstTimers}; else empty
     * @param bins in how many each key group comes, in the order of the subscale, if that goes by
     *     their size; empty: as the strategy says
     */
    record Detached<E>(int subscale, long[] timers, int[] bins) implements PeerElement<E> {}

    /** A record that came to the old owner after {@link Detached}. */
    record Rerouted<E>(int subscale, int channel, int keyGroup, E element)
            implements PeerElement<E> {}

    /** Nothing more follows from this channel. */
    record Confirm<E>(int subscale, int channel) implements PeerElement<E> {}

    /** Last element of a subscale that never started. */
    record Cancelled<E>(int subscale) implements PeerElement<E> {}
}
