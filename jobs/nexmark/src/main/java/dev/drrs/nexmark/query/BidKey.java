package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.java.functions.KeySelector;

/** Which of a bid's ids is the key. A preload event brings its own key. */
enum BidKey implements KeySelector<ScheduledEvent, Long> {
    AUCTION {
        @Override
        long of(Event.Bid bid) {
            return bid.auction();
        }
    },
    BIDDER {
        @Override
        long of(Event.Bid bid) {
            return bid.bidder();
        }
    };

    abstract long of(Event.Bid bid);

    @Override
    public Long getKey(ScheduledEvent event) {
        return event.event() instanceof Event.Preload preload ? preload.key() : of(event.bid());
    }
}
