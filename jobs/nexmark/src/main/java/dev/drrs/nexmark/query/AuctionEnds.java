package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.sink.ResultSerializer;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The queries about how auctions end. */
final class AuctionEnds {

    private AuctionEnds() {}

    /** The mean winning price of each category. */
    static DataStream<Result> q4(Inputs inputs, Arguments arguments, ServiceTime service) {
        return Behind.of(winning(inputs, arguments, service, "q4"), "q4", arguments)
                .keyBy(won -> won.f0.auction().category(), Types.LONG)
                .process(new AveragePrice(), ResultSerializer.TYPE)
                .uid("q4avg")
                .name("average price of a category")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** The winning bid of each auction. */
    static DataStream<Result> q9(Inputs inputs, Arguments arguments, ServiceTime service) {
        return winning(inputs, arguments, service, "q9")
                .map(AuctionEnds::row, ResultSerializer.TYPE)
                .uid("q9-rows")
                .name("winning bids as rows")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static SingleOutputStreamOperator<Tuple2<ScheduledEvent, ScheduledEvent>> winning(
            Inputs inputs, Arguments arguments, ServiceTime service, String uid) {
        return inputs.bids()
                .connect(inputs.auctions())
                .keyBy(EventKey.AUCTION, EventKey.AUCTION, Types.LONG)
                .process(new WinningBids(service), WinningBids.TYPE)
                .uid(uid)
                .name("winning bids")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static Result row(Tuple2<ScheduledEvent, ScheduledEvent> won) {
        Event.Auction auction = won.f0.auction();
        Event.Bid bid = won.f1.bid();
        String json =
                Json.of("q9")
                        .put("auction", auction.id())
                        .put("seller", auction.seller())
                        .put("category", auction.category())
                        .put("expires", auction.expires())
                        .put("bidder", bid.bidder())
                        .put("price", bid.price())
                        .put("at", bid.timestamp())
                        .end();
        return new Result(json, Long.toString(auction.id()), dueMs(won), 0);
    }

    /** The later of the two: as for windows, their end in event time has no schedule. */
    static long dueMs(Tuple2<ScheduledEvent, ScheduledEvent> won) {
        return Math.max(won.f0.scheduleMs(), won.f1.scheduleMs());
    }
}
