package dev.drrs.nexmark.query;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.sink.ResultSerializer;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/**
 * A graph of many shapes, three keyed operators among them:
 *
 * <pre>
 * bids =even=> +--------------------------+ =custom=> placed =======================+
 * bids =odd==> | left: tally | behind     | =side output============================+
 *              +--------------------------+ =key=> +------+                         +=> sink
 * bids =key==> | right: tally, unchained  | =key=> | meet | ========================+
 *              +--------------------------+ ==> attributes =========================+
 * bids =forward=> audit ============================================================+
 * </pre>
 *
 * <p>{@code left} has two edges from one predecessor, an operator chained behind it, a side output
 * and a consumer with a partitioner of the user. {@code right} and {@code audit} are in
 * slot-sharing groups of their own. {@code attributes} says which record attributes reach it. The
 * rows are told apart by their {@code q}.
 */
final class Fan {

    static final int PLACES = 3;

    /** Key, number of the record within its key and operator, event time. */
    static final TypeInformation<Tuple3<Long, Long, Long>> TALLY =
            Types.TUPLE(Types.LONG, Types.LONG, Types.LONG);

    static final OutputTag<Result> SIDE = new OutputTag<>("side", ResultSerializer.TYPE);

    private Fan() {}

    static DataStream<Result> build(
            DataStream<ScheduledEvent> bids, Arguments arguments, ServiceTime service) {
        int parallelism = arguments.integer(Options.PARALLELISM);
        SingleOutputStreamOperator<Tuple3<Long, Long, Long>> left = left(bids, arguments, service);
        DataStream<Tuple3<Long, Long, Long>> behind =
                left.map(tally -> Tuple3.of(tally.f0, -tally.f1, tally.f2), TALLY)
                        .uid("behind")
                        .name("behind")
                        .setParallelism(parallelism);
        DataStream<Tuple3<Long, Long, Long>> right =
                bids.keyBy(BidKey.BIDDER, Types.LONG)
                        .process(new TallyFunction(service, null), TALLY)
                        .uid("right")
                        .name("right")
                        .setParallelism((parallelism + 1) / 2)
                        .slotSharingGroup("right")
                        .disableChaining();
        return meet(behind, right, parallelism)
                .union(
                        placed(behind),
                        left.getSideOutput(SIDE).rebalance(),
                        attributes(right),
                        audit(bids, arguments));
    }

    private static SingleOutputStreamOperator<Tuple3<Long, Long, Long>> left(
            DataStream<ScheduledEvent> bids, Arguments arguments, ServiceTime service) {
        int parallelism = arguments.integer(Options.SOURCE_PARALLELISM);
        DataStream<ScheduledEvent> even =
                bids.filter(event -> event.bid().auction() % 2 == 0).setParallelism(parallelism);
        DataStream<ScheduledEvent> odd =
                bids.filter(event -> event.bid().auction() % 2 == 1).setParallelism(parallelism);
        return even.union(odd)
                .keyBy(BidKey.AUCTION, Types.LONG)
                .process(new TallyFunction(service, SIDE), TALLY)
                .uid("left")
                .name("left")
                .setParallelism(arguments.integer(Options.PARALLELISM));
    }

    private static DataStream<Result> meet(
            DataStream<Tuple3<Long, Long, Long>> behind,
            DataStream<Tuple3<Long, Long, Long>> right,
            int parallelism) {
        return behind.union(right)
                .keyBy(tally -> tally.f0, Types.LONG)
                .process(new MeetFunction(), ResultSerializer.TYPE)
                .uid("meet")
                .name("meet")
                .setParallelism(parallelism)
                .slotSharingGroup("default")
                .rebalance();
    }

    private static DataStream<Result> placed(DataStream<Tuple3<Long, Long, Long>> behind) {
        return behind.partitionCustom((key, places) -> place(key, places), tally -> tally.f0)
                .process(new PlacedFunction(), ResultSerializer.TYPE)
                .uid("placed")
                .name("placed")
                .setParallelism(PLACES);
    }

    private static DataStream<Result> attributes(DataStream<Tuple3<Long, Long, Long>> right) {
        return right.rebalance()
                .transform("attributes", ResultSerializer.TYPE, new SeenAttributes<>())
                .uid("attributes")
                .setParallelism(PLACES)
                .slotSharingGroup("default");
    }

    private static DataStream<Result> audit(DataStream<ScheduledEvent> bids, Arguments arguments) {
        return bids.map(
                        event ->
                                new Result(
                                        Json.of("fan-audit")
                                                .put("key", event.bid().auction())
                                                .put("at", event.bid().timestamp())
                                                .end(),
                                        Long.toString(event.bid().auction()),
                                        Result.NO_LATENCY,
                                        0),
                        ResultSerializer.TYPE)
                .uid("audit")
                .name("audit")
                .setParallelism(arguments.integer(Options.SOURCE_PARALLELISM))
                .disableChaining()
                .rebalance();
    }

    /** Which of the consumer's subtasks gets a key. */
    static int place(long key, int places) {
        return (int) (key % places);
    }
}
