package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.Locale;
import org.apache.flink.api.common.functions.FilterFunction;

/** Which events of a source a query reads. */
enum EventKind implements FilterFunction<ScheduledEvent> {
    /** With those that ask for the state of a key. */
    BIDS {
        @Override
        public boolean filter(ScheduledEvent event) {
            return event.isBid() || event.isPreload();
        }
    },
    AUCTIONS {
        @Override
        public boolean filter(ScheduledEvent event) {
            return event.event() instanceof Event.Auction;
        }
    },
    PERSONS {
        @Override
        public boolean filter(ScheduledEvent event) {
            return event.event() instanceof Event.Person;
        }
    };

    /** Uid and name of the operator that lets them through. */
    String uid() {
        return name().toLowerCase(Locale.ROOT);
    }
}
