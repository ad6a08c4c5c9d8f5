package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A bounded job whose output is known: numbers 0 to n-1 are counted per key (first keyed operator),
 * the counts are added up per key (second), and an event-time timer at the end of time tells what
 * was seen.
 */
final class CountedNumbers {

    static final int KEYS = 50;

    /** What the sinks of a job have seen, by the job's name: they run in this JVM. */
    private static final Map<String, Map<Integer, Long>> RESULTS = new ConcurrentHashMap<>();

    /** The parallelism that the first keyed operator of a job has seen, by the job's name. */
    private static final Map<String, Set<Integer>> PARALLELISM = new ConcurrentHashMap<>();

    /** Jobs, by name, that are to fail once. */
    private static final Set<String> FAIL_ONCE = ConcurrentHashMap.newKeySet();

    /** Where subtasks of "count" stand still, by the job's name. */
    private static final Map<String, SubtaskHold> HOLDS = new ConcurrentHashMap<>();

    private record SubtaskHold(int subtask, Hold hold) {}

    private CountedNumbers() {}

    /** The job's next record makes it fail. */
    static void failOnce(String name) {
        FAIL_ONCE.add(name);
    }

    static boolean hasStillToFail(String name) {
        return FAIL_ONCE.contains(name);
    }

    /** A subtask of "count" is to stand still before its next record. */
    static Hold hold(String name, int subtask) {
        Hold hold = new Hold();
        HOLDS.put(name, new SubtaskHold(subtask, hold));
        return hold;
    }

    /**
     * @param perSecond records a second, 0 for as fast as it goes
     */
    static void define(StreamExecutionEnvironment env, String name, long numbers, long perSecond) {
        if (perSecond == 0) {
            define(
                    env.fromSource(new NumberSequenceSource(0, numbers - 1), time(), "numbers"),
                    name);
        } else {
            define(env, name, numbers, TimedNumbers.pace(perSecond));
        }
    }

    static void define(
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            RateLimiterStrategy<NumberSequenceSplit> pace) {
        define(
                env.fromSource(
                        new DataGeneratorSource<>(n -> n, numbers, pace, Types.LONG),
                        time(),
                        "numbers"),
                name);
    }

    /** A job of these numbers, so many a second, once it has completed a checkpoint. */
    static RunningJob start(
            MiniCluster cluster,
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            long perSecond)
            throws Exception {
        define(env, name, numbers, TimedNumbers.paced(numbers, perSecond));
        return RunningJob.start(cluster, env, name);
    }

    /** A key of each key group that has one. */
    static Map<Integer, Integer> keysByKeyGroup(int maxParallelism) {
        Map<Integer, Integer> keys = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            keys.put(KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism), key);
        }
        return keys;
    }

    /** Each key has been seen as often as it is among so many numbers. */
    static void assertExact(String name, long numbers) {
        assertThat(results(name))
                .hasSize(KEYS)
                .allSatisfy((key, count) -> assertThat(count).isEqualTo(numbers / KEYS));
    }

    private static WatermarkStrategy<Long> time() {
        return WatermarkStrategy.<Long>forMonotonousTimestamps().withTimestampAssigner((n, t) -> n);
    }

    private static void define(DataStream<Long> source, String name) {
        RESULTS.put(name, new ConcurrentHashMap<>());
        PARALLELISM.put(name, ConcurrentHashMap.newKeySet());
        source.keyBy(n -> (int) (n % KEYS))
                .process(new Count(name))
                .name("count")
                .uid("count")
                .keyBy(t -> t.f0)
                .process(new Total())
                .name("total")
                .uid("total")
                .sinkTo(new Keep(name))
                .name("sink")
                .setParallelism(1);
    }

    static Map<Integer, Long> results(String name) {
        return RESULTS.get(name);
    }

    static Set<Integer> parallelism(String name) {
        return PARALLELISM.get(name);
    }

    private static final class Count
            extends KeyedProcessFunction<Integer, Long, Tuple2<Integer, Long>> {
        private final String name;
        private transient ValueState<Long> count;
        private transient ValueState<HeldState> moved;

        Count(String name) {
            this.name = name;
        }

        @Override
        public void open(OpenContext context) {
            PARALLELISM
                    .get(name)
                    .add(getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
            moved =
                    getRuntimeContext()
                            .getState(
                                    new ValueStateDescriptor<>(
                                            "moved", Types.VALUE(HeldState.class)));
        }

        @Override
        public void processElement(
                Long number, Context context, Collector<Tuple2<Integer, Long>> out)
                throws Exception {
            if (FAIL_ONCE.remove(name)) {
                throw new IllegalStateException("made to fail by the test");
            }
            SubtaskHold held = HOLDS.get(name);
            if (held != null
                    && !held.hold.isReached()
                    && held.subtask == getRuntimeContext().getTaskInfo().getIndexOfThisSubtask()) {
                held.hold.stand();
            }
            Long before = count.value();
            if (before == null) {
                moved.update(new HeldState(context.getCurrentKey()));
            }
            long next = before == null ? 1 : before + 1;
            count.update(next);
            out.collect(Tuple2.of(context.getCurrentKey(), next));
        }
    }

    /**
     * Adds up what it gets per key. Counts of one key may come in another order while the key moves
     * from one subtask of the operator before to another; that none is lost and none comes twice
     * shows in their sum.
     */
    private static final class Total
            extends KeyedProcessFunction<Integer, Tuple2<Integer, Long>, Tuple2<Integer, Long>> {
        private transient ValueState<Long> received;
        private transient ValueState<Long> sum;

        @Override
        public void open(OpenContext context) {
            received =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>("received", Types.LONG));
            sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple2<Integer, Long> counted,
                Context context,
                Collector<Tuple2<Integer, Long>> out)
                throws Exception {
            received.update(received.value() == null ? 1 : received.value() + 1);
            sum.update(sum.value() == null ? counted.f1 : sum.value() + counted.f1);
            context.timerService().registerEventTimeTimer(Long.MAX_VALUE);
        }

        @Override
        public void onTimer(
                long timestamp, OnTimerContext context, Collector<Tuple2<Integer, Long>> out)
                throws Exception {
            long n = received.value();
            if (sum.value() != n * (n + 1) / 2) {
                throw new IllegalStateException(
                        "key "
                                + context.getCurrentKey()
                                + ": "
                                + n
                                + " counts add up to "
                                + sum.value());
            }
            out.collect(Tuple2.of(context.getCurrentKey(), n));
        }
    }

    private record Keep(String name) implements Sink<Tuple2<Integer, Long>> {
        @Override
        public SinkWriter<Tuple2<Integer, Long>> createWriter(WriterInitContext context) {
            return new KeepWriter(name);
        }
    }

    private record KeepWriter(String name) implements SinkWriter<Tuple2<Integer, Long>> {
        @Override
        public void write(Tuple2<Integer, Long> value, Context context) {
            Long before = RESULTS.get(name).put(value.f0, value.f1);
            if (before != null) {
                throw new IllegalStateException("two results for key " + value.f0);
            }
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
