package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.sink.ResultSerializer;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.WindowedStream;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/** The queries over windows of one size. */
final class Windows {

    private Windows() {}

    /** The highest bids of each window: first of each bidder, then of all. */
    static DataStream<Result> q7(Inputs inputs, Arguments arguments, ServiceTime service) {
        long size = arguments.number(Options.WINDOW_MS);
        TumblingEventTimeWindows windows = TumblingEventTimeWindows.of(Duration.ofMillis(size));
        DataStream<ScheduledEvent> highest =
                inputs.bids()
                        .keyBy(BidKey.BIDDER, Types.LONG)
                        .window(windows)
                        .aggregate(
                                new GatherEvents(BidKey.BIDDER, service),
                                new HighestOfBidder(),
                                GatherEvents.TYPE,
                                GatherEvents.TYPE,
                                ScheduledEventSerializer.TYPE)
                        .uid("q7")
                        .name("highest bids of a bidder")
                        .setParallelism(arguments.integer(Options.PARALLELISM));
        return Behind.of(highest, "q7", arguments)
                .keyBy(bid -> Math.floorDiv(bid.bid().timestamp(), size), Types.LONG)
                .window(windows)
                .process(new HighestOfAll(), ResultSerializer.TYPE)
                .uid("q7max")
                .name("highest bids")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** Who is new in a window and sells in it. */
    static DataStream<Result> q8(Inputs inputs, Arguments arguments) {
        long size = arguments.number(Options.WINDOW_MS);
        return inputs.persons()
                .coGroup(inputs.auctions())
                .where(EventKey.PERSON, Types.LONG)
                .equalTo(EventKey.PERSON, Types.LONG)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(size)))
                .apply(new NewSellers(size), ResultSerializer.TYPE)
                .uid("q8")
                .name("new sellers")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** Bids per bidder and window of processing time. */
    static DataStream<Result> q12(Inputs inputs, Arguments arguments, ServiceTime service) {
        Duration size = Duration.ofMillis(arguments.number(Options.WINDOW_MS));
        return inputs.bids()
                .keyBy(BidKey.BIDDER, Types.LONG)
                .window(TumblingProcessingTimeWindows.of(size))
                .aggregate(
                        new CountBids(BidKey.BIDDER, service),
                        new BidderResult("q12"),
                        WindowCountSerializer.TYPE,
                        WindowCountSerializer.TYPE,
                        ResultSerializer.TYPE)
                .uid("q12")
                .name("bids per bidder and window")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** The highest bid of each bidder in each sliding window: what DRRS was measured with as Q7. */
    static DataStream<Result> drrsQ7(Inputs inputs, Arguments arguments, ServiceTime service) {
        String query = arguments.text(Options.QUERY);
        return sliding(inputs.bids(), BidKey.BIDDER, arguments)
                .aggregate(
                        new GatherEvents(BidKey.BIDDER, service),
                        new DrrsHighest(query),
                        GatherEvents.TYPE,
                        GatherEvents.TYPE,
                        ResultSerializer.TYPE)
                .uid("drrs-q7")
                .name("highest bid per bidder")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** New persons and auctions joined in sliding windows: what DRRS was measured with as Q8. */
    static DataStream<Result> drrsQ8(Inputs inputs, Arguments arguments, ServiceTime service) {
        String query = arguments.text(Options.QUERY);
        return sliding(inputs.persons().union(inputs.auctions()), EventKey.PERSON, arguments)
                .aggregate(
                        new GatherEvents(EventKey.PERSON, service),
                        new DrrsSellers(query),
                        GatherEvents.TYPE,
                        GatherEvents.TYPE,
                        ResultSerializer.TYPE)
                .uid("drrs-q8")
                .name("persons and auctions per window")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** Windows of event time if the query's name says so, else of processing time. */
    private static WindowedStream<ScheduledEvent, Long, TimeWindow> sliding(
            DataStream<ScheduledEvent> events,
            KeySelector<ScheduledEvent, Long> key,
            Arguments arguments) {
        Duration size = Duration.ofMillis(arguments.number(Options.HOP_SIZE_MS));
        Duration slide = Duration.ofMillis(arguments.number(Options.HOP_SLIDE_MS));
        WindowAssigner<Object, TimeWindow> windows =
                arguments.text(Options.QUERY).endsWith("-event")
                        ? SlidingEventTimeWindows.of(size, slide)
                        : SlidingProcessingTimeWindows.of(size, slide);
        return events.keyBy(key, Types.LONG).window(windows);
    }
}
