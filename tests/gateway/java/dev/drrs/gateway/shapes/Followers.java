package dev.drrs.gateway.shapes;

import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** What is between a head's task and the sinks, by name. */
final class Followers {

    /** Those that do not keep the order of a key's results. */
    static final Set<String> MIXING = Set.of("rebalance", "shuffle");

    private Followers() {}

    /**
     * @param parallelism that the head's task begins with
     * @param uid beginning of the uids to be given
     * @param ordered whether the results of a key come in an order
     */
    static SingleOutputStreamOperator<Result> of(
            String name, SingleOutputStreamOperator<Result> results, int parallelism, String uid, KeyKind kind,
            boolean ordered) {
        return switch (name) {
            case "none" -> results;
            case "forward" -> passing(results, parallelism, uid + "-1").startNewChain();
            case "forward-slots" ->
                    passing(results, parallelism, uid + "-1").startNewChain().slotSharingGroup("others");
            case "forward-twice" ->
                    passing(passing(results, parallelism, uid + "-1").startNewChain(), parallelism, uid + "-2")
                            .startNewChain();
            case "by-key" -> meeting(results, uid + "-1", kind, ordered);
            // Event time made anew, behind an exchange that keeps the order of a key.
            case "assigner-by-key" ->
                    passing(
                            results.keyBy(kind.ofResults(), kind.type())
                                    .assignTimestampsAndWatermarks(
                                            WatermarkStrategy.<Result>forMonotonousTimestamps()
                                                    .withTimestampAssigner((result, timestamp) -> timestamp)),
                            parallelism,
                            uid + "-1");
            case "rebalance" -> passing(results.rebalance(), 2, uid + "-1");
            case "shuffle" -> passing(results.shuffle(), 3, uid + "-1");
            case "global" -> passing(results.global(), 2, uid + "-1");
            case "custom" ->
                    passing(
                            results.partitionCustom(
                                    (Long key, int partitions) -> (int) (key % partitions), result -> result.key),
                            3,
                            uid + "-1");
            case "broadcast" -> {
                SingleOutputStreamOperator<Result> copies = results.broadcast().map(new BySubtask());
                yield copies.uid(uid + "-1").setParallelism(2);
            }
            case "rescale" -> passing(results.rescale(), 2, uid + "-1");
            default -> throw new IllegalArgumentException("no follower " + name);
        };
    }

    /** A keyed operator that reads the results of several heads. */
    static SingleOutputStreamOperator<Result> meeting(
            DataStream<Result> results, String uid, KeyKind kind, boolean ordered) {
        return results.keyBy(kind.ofResults(), kind.type())
                .process(new Numbered(ordered))
                .uid(uid)
                .name(uid)
                .setParallelism(2);
    }

    private static SingleOutputStreamOperator<Result> passing(
            DataStream<Result> results, int parallelism, String uid) {
        return results.map(Result::copy).returns(Result.class).uid(uid).name(uid).setParallelism(parallelism);
    }

    /** A lane for each subtask: all of them get all results. */
    private static final class BySubtask extends RichMapFunction<Result, Result> {
        @Override
        public Result map(Result result) {
            Result copy = result.copy();
            copy.lane += "@" + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            return copy;
        }
    }

    /** A keyed operator that is not rescaled: results of a key in an order get numbers in it. */
    private static final class Numbered extends KeyedProcessFunction<Object, Result, Result> {
        private final boolean ordered;
        private transient MapState<String, Long> numbers;

        Numbered(boolean ordered) {
            this.ordered = ordered;
        }

        @Override
        public void open(OpenContext context) {
            numbers = getRuntimeContext().getMapState(new MapStateDescriptor<>("numbers", Types.STRING, Types.LONG));
        }

        @Override
        public void processElement(Result result, Context context, Collector<Result> out) throws Exception {
            Result copy = result.copy();
            if (ordered && result.judged() == 's') {
                long number = numbers.contains(result.lane) ? numbers.get(result.lane) + 1 : 1;
                numbers.put(result.lane, number);
                copy.text += "/" + number;
            }
            out.collect(copy);
        }
    }
}
