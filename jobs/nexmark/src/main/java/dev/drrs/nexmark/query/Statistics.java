package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.sink.ResultSerializer;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;

/** The queries that keep something of all bids of a key, and write it at each bid. */
final class Statistics {

    private Statistics() {}

    /** Bids, bidders and auctions of a day: one key a day, so that no rescale spreads it. */
    static DataStream<Result> q15(Inputs inputs, Arguments arguments, ServiceTime service) {
        return distinct(inputs, ChannelDay.ALL, "q15", arguments, service);
    }

    /** Bids, bidders and auctions of a channel and day. */
    static DataStream<Result> q16(Inputs inputs, Arguments arguments, ServiceTime service) {
        return distinct(inputs, ChannelDay.EACH, "q16", arguments, service);
    }

    private static DataStream<Result> distinct(
            Inputs inputs, ChannelDay key, String query, Arguments arguments, ServiceTime service) {
        return inputs.bids()
                .keyBy(key, ChannelDay.TYPE)
                .process(new DistinctCounts(query, service), ResultSerializer.TYPE)
                .uid(query)
                .name("distinct bidders and auctions")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** The last bid of each bidder for each auction. */
    static DataStream<Result> q18(Inputs inputs, Arguments arguments, ServiceTime service) {
        return inputs.bids()
                .keyBy(
                        event -> Tuple2.of(event.bid().bidder(), event.bid().auction()),
                        Types.TUPLE(Types.LONG, Types.LONG))
                .process(new LastBidFunction(service), ResultSerializer.TYPE)
                .uid("q18")
                .name("last bid")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** The ten highest bids of each auction. */
    static DataStream<Result> q19(Inputs inputs, Arguments arguments, ServiceTime service) {
        return inputs.bids()
                .keyBy(BidKey.AUCTION, Types.LONG)
                .process(new TopBidsFunction(service), ResultSerializer.TYPE)
                .uid("q19")
                .name("ten highest bids")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }
}
