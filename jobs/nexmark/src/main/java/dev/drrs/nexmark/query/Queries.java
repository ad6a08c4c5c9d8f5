package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.sink.ResultSerializer;
import dev.drrs.nexmark.source.Opening;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/**
 * Builds the keyed part of each query. The uid of a keyed operator is its public name: savepoints
 * and tools use it.
 */
public final class Queries {

    private static final int INPUTS = 3;
    private static final int RULE_EVERY = 20;
    private static final double PERCENT = 100.0;

    private Queries() {}

    /** Applies the query that the arguments name to the events of its sources. */
    public static DataStream<Result> build(Inputs inputs, Arguments arguments) {
        ServiceTime service = service(arguments);
        return switch (arguments.text(Options.QUERY)) {
            case "count" -> count(inputs.bids(), arguments);
            case "q3" -> Joins.q3(inputs, arguments, service);
            case "q4" -> AuctionEnds.q4(inputs, arguments, service);
            case "q5" -> q5(inputs.bids(), arguments);
            case "q7" -> Windows.q7(inputs, arguments, service);
            case "q8" -> Windows.q8(inputs, arguments);
            case "q9" -> AuctionEnds.q9(inputs, arguments, service);
            case "q11" -> q11(inputs.bids(), arguments);
            case "q12" -> Windows.q12(inputs, arguments, service);
            case "q13" -> Joins.q13(inputs, arguments, service);
            case "q15" -> Statistics.q15(inputs, arguments, service);
            case "q16" -> Statistics.q16(inputs, arguments, service);
            case "q17" -> q17(inputs.bids(), arguments);
            case "q18" -> Statistics.q18(inputs, arguments, service);
            case "q19" -> Statistics.q19(inputs, arguments, service);
            case "q20" -> Joins.q20(inputs, arguments, service);
            case "q23" -> Joins.q23(inputs, arguments, service);
            case "drrs-q7", "drrs-q7-event" -> Windows.drrsQ7(inputs, arguments, service);
            case "drrs-q8", "drrs-q8-event" -> Windows.drrsQ8(inputs, arguments, service);
            case "synthetic" -> synthetic(inputs.bids(), arguments);
            case "states" -> states(inputs.bids(), arguments);
            case "fan" -> Fan.build(inputs.bids(), arguments, service);
            case "many" -> many(inputs.bids(), arguments);
            case "parity" -> parity(inputs.bids(), arguments);
            default ->
                    throw new IllegalArgumentException("No query " + arguments.text(Options.QUERY));
        };
    }

    private static SingleOutputStreamOperator<Result> count(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        KeyTimers timers = arguments.flag(Options.TIMERS) ? new KeyTimers() : null;
        return bids.keyBy(key(arguments), Types.LONG)
                .process(
                        new CountFunction("count", service(arguments), ballast(arguments), timers),
                        ResultSerializer.TYPE)
                .uid("count")
                .name("running count")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /** As count, with keys of a skew of one's choice. */
    private static SingleOutputStreamOperator<Result> synthetic(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        ZipfKeys keys =
                new ZipfKeys(
                        arguments.integer(Options.KEYS),
                        arguments.number(Options.ZIPF_PERCENT) / PERCENT);
        return bids.keyBy(keys, Types.LONG)
                .process(
                        new CountFunction(
                                "synthetic", service(arguments), ballast(arguments), null),
                        ResultSerializer.TYPE)
                .uid("synthetic")
                .name("running count of skewed keys")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static SingleOutputStreamOperator<Result> q5(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        long size = arguments.number(Options.HOP_SIZE_MS);
        Duration slide = Duration.ofMillis(arguments.number(Options.HOP_SLIDE_MS));
        int parallelism = arguments.integer(Options.PARALLELISM);
        DataStream<Tuple4<Long, Long, Long, Long>> counts =
                bids.keyBy(BidKey.AUCTION, Types.LONG)
                        .window(SlidingEventTimeWindows.of(Duration.ofMillis(size), slide))
                        .aggregate(
                                new CountBids(BidKey.AUCTION, service(arguments)),
                                new AuctionCount(),
                                WindowCountSerializer.TYPE,
                                WindowCountSerializer.TYPE,
                                Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG))
                        .uid("q5")
                        .name("bids per auction and hop window")
                        .setParallelism(parallelism);
        return Behind.of(counts, "q5", arguments)
                .keyBy(count -> count.f2, Types.LONG)
                // All counts of a hop window carry its last timestamp, so one tumbling window of a
                // slide holds them.
                .window(TumblingEventTimeWindows.of(slide))
                .process(new HottestAuctions(size), ResultSerializer.TYPE)
                .uid("q5max")
                .name("hottest auctions")
                .setParallelism(parallelism);
    }

    private static SingleOutputStreamOperator<Result> q11(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        return bids.keyBy(BidKey.BIDDER, Types.LONG)
                .window(
                        EventTimeSessionWindows.withGap(
                                Duration.ofMillis(arguments.number(Options.SESSION_GAP_MS))))
                .aggregate(
                        new CountBids(BidKey.BIDDER, service(arguments)),
                        new BidderResult("q11"),
                        WindowCountSerializer.TYPE,
                        WindowCountSerializer.TYPE,
                        ResultSerializer.TYPE)
                .uid("q11")
                .name("bids per bidder and session")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static SingleOutputStreamOperator<Result> q17(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        return bids.keyBy(new AuctionDay(), AuctionDay.TYPE)
                .process(
                        new AuctionStatsFunction(service(arguments), ballast(arguments)),
                        ResultSerializer.TYPE)
                .uid("q17")
                .name("statistics per auction and day")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static SingleOutputStreamOperator<Result> states(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        return bids.keyBy(key(arguments), Types.LONG)
                .process(
                        new StatesFunction(service(arguments), ballast(arguments)),
                        ResultSerializer.TYPE)
                .uid("states")
                .name("all kinds of state")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    /**
     * Bids per key beside rules that are broadcast.
     *
     * @param rules every {@value #RULE_EVERY}th event is one, if it is a bid
     */
    public static SingleOutputStreamOperator<Result> rules(
            DataStream<ScheduledEvent> bids,
            DataStream<ScheduledEvent> rules,
            Arguments arguments) {
        return bids.keyBy(key(arguments), Types.LONG)
                .connect(
                        rules.filter(event -> event.event().number() % RULE_EVERY == 0)
                                .name("rules")
                                .setParallelism(arguments.integer(Options.SOURCE_PARALLELISM))
                                .broadcast(RulesFunction.RULES))
                .process(new RulesFunction(service(arguments)), ResultSerializer.TYPE)
                .uid("rules")
                .name("bids and rules per key")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static SingleOutputStreamOperator<Result> many(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        StreamExecutionEnvironment environment = bids.getExecutionEnvironment();
        int parallelism = arguments.integer(Options.PARALLELISM);
        KeyedMultipleInputTransformation<Result> operator =
                new KeyedMultipleInputTransformation<>(
                        "running count over several inputs",
                        new ManyInputsOperator.Factory(INPUTS),
                        ResultSerializer.TYPE,
                        parallelism,
                        Types.LONG);
        operator.setUid("many");
        for (int input = 0; input < INPUTS; input++) {
            int share = input;
            operator.addInput(
                    bids.filter(event -> event.event().number() % INPUTS == share)
                            .name("input " + input)
                            .setParallelism(arguments.integer(Options.SOURCE_PARALLELISM))
                            .keyBy(key(arguments), Types.LONG)
                            .getTransformation(),
                    key(arguments));
        }
        environment.addOperator(operator);
        return new SingleOutputStreamOperator<>(environment, operator) {};
    }

    private static SingleOutputStreamOperator<Result> parity(
            DataStream<ScheduledEvent> bids, Arguments arguments) {
        return bids.keyBy(new ParityKey.Selector(), TypeInformation.of(ParityKey.class))
                .process(new ParityCount(), ResultSerializer.TYPE)
                .uid("parity")
                .name("running count with an unstable key")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static BidKey key(Arguments arguments) {
        return arguments.text(Options.KEY).equals("auction") ? BidKey.AUCTION : BidKey.BIDDER;
    }

    private static ServiceTime service(Arguments arguments) {
        return new ServiceTime(
                arguments.number(Options.SERVICE_US),
                arguments.number(Options.SERVICE_HOT_KEY),
                arguments.number(Options.SERVICE_HOT_US),
                arguments.flag(Options.SERVE_UNTIL_OPEN)
                        ? new Opening(arguments.text(Options.OPENING_FILE), 0, false, false)
                        : null);
    }

    private static Ballast ballast(Arguments arguments) {
        return new Ballast(
                arguments.integer(Options.BALLAST_BYTES), arguments.flag(Options.BALLAST_SPREAD));
    }
}
