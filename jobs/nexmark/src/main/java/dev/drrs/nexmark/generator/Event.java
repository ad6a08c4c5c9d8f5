package dev.drrs.nexmark.generator;

/**
 * One event of the workload. Immutable.
 *
 * <p>{@link #number} identifies it, {@link #offsetMs} is when the schedule says it is due (ms after
 * the start of the run), {@link #timestamp} is its event time (epoch ms).
 */
public sealed interface Event {

    long number();

    long offsetMs();

    long timestamp();

    /** A new user of the auction site. */
    record Person(
            long number,
            long offsetMs,
            long timestamp,
            long id,
            String name,
            String city,
            String state)
            implements Event {}

    /** A new item for sale; {@code expires} is epoch ms, prices are cents. */
    record Auction(
            long number,
            long offsetMs,
            long timestamp,
            long id,
            long initialBid,
            long reserve,
            long expires,
            long seller,
            long category)
            implements Event {}

    /** An offer of {@code price} cents. */
    record Bid(long number, long offsetMs, long timestamp, long auction, long bidder, long price)
            implements Event {}

    /**
     * Not of the workload: asks a keyed operator to create its state for {@code key} before the run
     * starts.
     */
    record Preload(long key, long timestamp) implements Event {
        @Override
        public long number() {
            return -1;
        }

        @Override
        public long offsetMs() {
            return 0;
        }
    }
}
