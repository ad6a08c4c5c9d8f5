package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Preload;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Auction and UTC day of a bid, the day as days since 1970. Preload events are on day 0, so no bid
 * shares their keys.
 */
final class AuctionDay implements KeySelector<ScheduledEvent, Tuple2<Long, Long>> {

    static final TypeInformation<Tuple2<Long, Long>> TYPE = Types.TUPLE(Types.LONG, Types.LONG);

    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    @Override
    public Tuple2<Long, Long> getKey(ScheduledEvent event) {
        if (event.event() instanceof Preload preload) {
            return Tuple2.of(preload.key(), 0L);
        }
        Event.Bid bid = event.bid();
        return Tuple2.of(bid.auction(), Math.floorDiv(bid.timestamp(), DAY_MS));
    }
}
