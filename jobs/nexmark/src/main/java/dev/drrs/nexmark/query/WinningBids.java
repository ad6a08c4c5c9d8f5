package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

/**
 * When event time passes the end of an auction: the auction and its winning bid, if there is one.
 * That is the highest from the auction's start to its end, both included; of equal ones the
 * earliest. Bids may come before their auction. The key is the auction's id, of which there may be
 * several auctions if there are several sources. Nothing may be late: an event behind the watermark
 * is an error.
 */
final class WinningBids
        extends KeyedCoProcessFunction<
                Long, ScheduledEvent, ScheduledEvent, Tuple2<ScheduledEvent, ScheduledEvent>> {

    /** Auction and bid. */
    static final TypeInformation<Tuple2<ScheduledEvent, ScheduledEvent>> TYPE =
            Types.TUPLE(ScheduledEventSerializer.TYPE, ScheduledEventSerializer.TYPE);

    private static final Comparator<ScheduledEvent> WINS =
            Comparator.<ScheduledEvent>comparingLong(bid -> bid.bid().price())
                    .thenComparing(
                            Comparator.<ScheduledEvent>comparingLong(bid -> bid.bid().timestamp())
                                    .thenComparingLong(bid -> bid.bid().number())
                                    .thenComparingLong(bid -> bid.bid().bidder())
                                    .reversed());

    private final ServiceTime service;

    private transient ListState<ScheduledEvent> bids;
    private transient ListState<ScheduledEvent> open;

    WinningBids(ServiceTime service) {
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        bids = events("bids");
        open = events("open");
    }

    private ListState<ScheduledEvent> events(String name) {
        return getRuntimeContext()
                .getListState(new ListStateDescriptor<>(name, ScheduledEventSerializer.TYPE));
    }

    @Override
    public void processElement1(
            ScheduledEvent bid,
            Context context,
            Collector<Tuple2<ScheduledEvent, ScheduledEvent>> out)
            throws Exception {
        checkInTime(bid, context);
        service.serve(bid, context.getCurrentKey());
        bids.add(bid);
        if (!open.get().iterator().hasNext()) {
            // Its auction may still come, until event time has passed the bid.
            context.timerService().registerEventTimeTimer(bid.bid().timestamp());
        }
    }

    @Override
    public void processElement2(
            ScheduledEvent auction,
            Context context,
            Collector<Tuple2<ScheduledEvent, ScheduledEvent>> out)
            throws Exception {
        checkInTime(auction, context);
        open.add(auction);
        context.timerService().registerEventTimeTimer(auction.auction().expires());
    }

    @Override
    public void onTimer(
            long at, OnTimerContext context, Collector<Tuple2<ScheduledEvent, ScheduledEvent>> out)
            throws Exception {
        List<ScheduledEvent> stillOpen = new ArrayList<>();
        for (ScheduledEvent auction : open.get()) {
            if (auction.auction().expires() > at) {
                stillOpen.add(auction);
            } else {
                winnerOf(auction.auction()).ifPresent(bid -> out.collect(Tuple2.of(auction, bid)));
            }
        }
        List<ScheduledEvent> kept = new ArrayList<>();
        long last = at;
        for (ScheduledEvent bid : bids.get()) {
            boolean ahead = bid.bid().timestamp() > at;
            if (ahead || stillOpen.stream().anyMatch(one -> isFor(bid, one.auction()))) {
                kept.add(bid);
                last = Math.max(last, bid.bid().timestamp());
            }
        }
        open.update(stillOpen);
        bids.update(kept);
        if (stillOpen.isEmpty() && last > at) {
            context.timerService().registerEventTimeTimer(last);
        }
    }

    private Optional<ScheduledEvent> winnerOf(Event.Auction auction) throws Exception {
        ScheduledEvent winner = null;
        for (ScheduledEvent bid : bids.get()) {
            if (isFor(bid, auction) && (winner == null || WINS.compare(bid, winner) > 0)) {
                winner = bid;
            }
        }
        return Optional.ofNullable(winner);
    }

    private static boolean isFor(ScheduledEvent bid, Event.Auction auction) {
        long at = bid.bid().timestamp();
        return auction.timestamp() <= at && at <= auction.expires();
    }

    private static void checkInTime(ScheduledEvent event, Context context) {
        long time = event.event().timestamp();
        long now = context.timerService().currentWatermark();
        if (time <= now) {
            throw new IllegalStateException(event + " is late, event time is " + now);
        }
    }
}
