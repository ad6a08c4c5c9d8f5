package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.sink.ResultSerializer;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;

/** The queries that join without windows. */
final class Joins {

    private static final Set<String> NEAR = Set.of("OR", "ID", "CA");
    private static final long CATEGORY = 10;

    /** Rows of the side input of q13. */
    private static final long SIDE_KEYS = 10_000;

    private static final TypeInformation<Tuple2<Long, Long>> SIDE =
            Types.TUPLE(Types.LONG, Types.LONG);

    private Joins() {}

    /** Who of three states sells in category 10. */
    static DataStream<Result> q3(Inputs inputs, Arguments arguments, ServiceTime service) {
        DataStream<ScheduledEvent> sellers =
                inputs.persons()
                        .filter(event -> NEAR.contains(event.person().state()))
                        .uid("near")
                        .name("near")
                        .setParallelism(inputs.parallelism());
        return sellers.connect(ofCategory(inputs))
                .keyBy(EventKey.PERSON, EventKey.PERSON, Types.LONG)
                .process(new JoinFunction(Joins::seller, service), ResultSerializer.TYPE)
                .uid("q3")
                .name("sellers and their auctions")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** Bids with their auctions, of category 10. */
    static DataStream<Result> q20(Inputs inputs, Arguments arguments, ServiceTime service) {
        return inputs.bids()
                .connect(ofCategory(inputs))
                .keyBy(EventKey.AUCTION, EventKey.AUCTION, Types.LONG)
                .process(new JoinFunction(Joins::bidOfAuction, service), ResultSerializer.TYPE)
                .uid("q20")
                .name("bids and their auctions")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** Bids with the person who bids and that person's own auctions. */
    static DataStream<Result> q23(Inputs inputs, Arguments arguments, ServiceTime service) {
        return inputs.bids()
                .union(inputs.persons(), inputs.auctions())
                .keyBy(EventKey.PERSON, Types.LONG)
                .process(new BidderSellerFunction(service), ResultSerializer.TYPE)
                .uid("q23")
                .name("bids of sellers")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** Bids with what a bounded side input says; its value is the square of its key. */
    static DataStream<Result> q13(Inputs inputs, Arguments arguments, ServiceTime service) {
        DataStream<ScheduledEvent> bids = inputs.bids();
        DataStream<Tuple2<Long, Long>> side =
                bids.getExecutionEnvironment()
                        .fromSequence(0, SIDE_KEYS - 1)
                        .uid("side")
                        .name("side input")
                        .setParallelism(inputs.parallelism())
                        .map(key -> Tuple2.of(key, key * key), SIDE)
                        .uid("side-rows")
                        .name("side rows")
                        .setParallelism(inputs.parallelism());
        return bids.connect(side)
                .keyBy(bid -> bid.bid().auction() % SIDE_KEYS, row -> row.f0, Types.LONG)
                .process(new SideInputFunction(service), ResultSerializer.TYPE)
                .uid("q13")
                .name("bids and side input")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static DataStream<ScheduledEvent> ofCategory(Inputs inputs) {
        return inputs.auctions()
                .filter(event -> event.auction().category() == CATEGORY)
                .uid("category")
                .name("category " + CATEGORY)
                .setParallelism(inputs.parallelism());
    }

    private static String seller(ScheduledEvent person, ScheduledEvent auction) {
        return Json.of("q3")
                .put("name", person.person().name())
                .put("city", person.person().city())
                .put("state", person.person().state())
                .put("id", auction.auction().id())
                .end();
    }

    private static String bidOfAuction(ScheduledEvent bid, ScheduledEvent auction) {
        return Json.of("q20")
                .put("auction", bid.bid().auction())
                .put("bidder", bid.bid().bidder())
                .put("price", bid.bid().price())
                .put("at", bid.bid().timestamp())
                .put("initial_bid", auction.auction().initialBid())
                .put("reserve", auction.auction().reserve())
                .put("expires", auction.auction().expires())
                .put("seller", auction.auction().seller())
                .end();
    }
}
