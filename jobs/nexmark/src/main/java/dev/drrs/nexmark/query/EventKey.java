package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.java.functions.KeySelector;

/** Keys that events of several kinds have in common: what they are joined by. */
enum EventKey implements KeySelector<ScheduledEvent, Long> {
    /** The auction that a bid is for, or that is opened. */
    AUCTION {
        @Override
        public Long getKey(ScheduledEvent event) {
            return event.event() instanceof Event.Bid bid ? bid.auction() : event.auction().id();
        }
    },
    /** The person who bids, who sells in an auction, or who is new. */
    PERSON {
        @Override
        public Long getKey(ScheduledEvent event) {
            if (event.event() instanceof Event.Bid bid) {
                return bid.bidder();
            }
            return event.event() instanceof Event.Auction auction
                    ? auction.seller()
                    : event.person().id();
        }
    }
}
