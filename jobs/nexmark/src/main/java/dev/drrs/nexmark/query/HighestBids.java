package dev.drrs.nexmark.query;

import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.ArrayList;
import java.util.List;

/** Picks the highest of some bids. */
final class HighestBids {

    private HighestBids() {}

    /** All bids with the highest price; none if there are no bids. */
    static List<ScheduledEvent> of(Iterable<ScheduledEvent> bids) {
        List<ScheduledEvent> highest = new ArrayList<>();
        for (ScheduledEvent bid : bids) {
            long price = bid.bid().price();
            if (!highest.isEmpty() && price > highest.get(0).bid().price()) {
                highest.clear();
            }
            if (highest.isEmpty() || price == highest.get(0).bid().price()) {
                highest.add(bid);
            }
        }
        return highest;
    }
}
