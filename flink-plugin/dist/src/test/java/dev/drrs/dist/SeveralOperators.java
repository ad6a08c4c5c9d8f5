package dev.drrs.dist;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A job with four keyed operators: {@code left} feeds {@code behind} directly and {@code after}
 * through a task between them; {@code right} has the predecessors of {@code left}; the last three
 * have the same consumer.
 *
 * <pre>
 * numbers -> left -> behind ------------> sink
 *    |         +---> between -> after ----^
 *    +-----> right -----------------------^
 * </pre>
 */
final class SeveralOperators {

    static final long KEYS = 40;
    static final long WINDOW = 500;

    /** Job and operator whose next record makes it fail. */
    private static final Set<String> FAIL_ONCE = ConcurrentHashMap.newKeySet();

    private SeveralOperators() {}

    static void failOnce(String job, String operator) {
        FAIL_ONCE.add(job + "/" + operator);
    }

    static boolean hasStillToFail(String job, String operator) {
        return FAIL_ONCE.contains(job + "/" + operator);
    }

    static void define(StreamExecutionEnvironment env, String job, long numbers, long perSecond) {
        TypeInformation<Tuple3<Long, Long, Long>> type =
                TypeInformation.of(new TypeHint<Tuple3<Long, Long, Long>>() {});
        DataStream<Tuple3<Long, Long, Long>> source =
                TimedNumbers.steady(env, "numbers", numbers, perSecond)
                        .map(n -> Tuple3.of(n.f1 % KEYS, 0L, n.f1))
                        .returns(type);
        DataStream<Tuple3<Long, Long, Long>> left =
                source.keyBy(n -> n.f0)
                        .process(new Numbered(job, "left"))
                        .returns(type)
                        .name("left")
                        .uid("left");
        DataStream<String> right = counted(source, job, "right");
        DataStream<String> behind = counted(left, job, "behind");
        DataStream<String> after =
                counted(left.rebalance().map(n -> n).returns(type).name("between"), job, "after");
        behind.union(after, right).sinkTo(new KeptResults(job)).name("sink").setParallelism(1);
    }

    /** Two pipelines that share nothing, with the keyed operators {@code one} and {@code other}. */
    static void defineApart(
            StreamExecutionEnvironment env, String job, long numbers, long perSecond) {
        for (String name : new String[] {"one", "other"}) {
            DataStream<Tuple3<Long, Long, Long>> source =
                    TimedNumbers.steady(env, "numbers of " + name, numbers, perSecond)
                            .map(n -> Tuple3.of(n.f1 % KEYS, 0L, n.f1))
                            .returns(TypeInformation.of(new TypeHint<>() {}));
            counted(source, job, name)
                    .sinkTo(new KeptResults(job))
                    .name("sink of " + name)
                    .setParallelism(1);
        }
    }

    private static DataStream<String> counted(
            DataStream<Tuple3<Long, Long, Long>> input, String job, String name) {
        return input.keyBy(n -> n.f0).process(new PerWindow(job, name)).name(name).uid(name);
    }

    /** All results of these operators in a run without a failure, each once. */
    static Map<String, Integer> expected(long numbers, String... operators) {
        long end = numbers / TimedNumbers.SUBTASKS;
        Map<String, Integer> counts = new HashMap<>();
        for (long time = 0; time < end; time++) {
            counts.merge(time % KEYS + "|" + time / WINDOW, TimedNumbers.SUBTASKS, Integer::sum);
        }
        Map<String, Integer> results = new HashMap<>();
        counts.forEach(
                (window, count) -> {
                    for (String name : operators) {
                        results.put(name + "|" + window + "|" + count, 1);
                    }
                });
        return results;
    }

    /** (key, unused, time) becomes (key, how many of the key so far, time). */
    private static final class Numbered
            extends KeyedProcessFunction<Long, Tuple3<Long, Long, Long>, Tuple3<Long, Long, Long>> {
        private final String job;
        private final String name;
        private transient ValueState<Long> count;

        Numbered(String job, String name) {
            this.job = job;
            this.name = name;
        }

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple3<Long, Long, Long> number,
                Context context,
                Collector<Tuple3<Long, Long, Long>> out)
                throws Exception {
            failIfTold(job, name);
            long next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            out.collect(Tuple3.of(number.f0, next, number.f2));
        }
    }

    /**
     * How many records a key has in each window of event time. The numbers they bear add up to what
     * the operator before counted: none is missing and none comes twice.
     */
    private static final class PerWindow
            extends KeyedProcessFunction<Long, Tuple3<Long, Long, Long>, String> {
        private final String job;
        private final String name;
        private transient MapState<Long, Long> counts;
        private transient ValueState<Long> received;
        private transient ValueState<Long> sum;

        PerWindow(String job, String name) {
            this.job = job;
            this.name = name;
        }

        @Override
        public void open(OpenContext context) {
            counts =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>("counts", Types.LONG, Types.LONG));
            received =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>("received", Types.LONG));
            sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple3<Long, Long, Long> number, Context context, Collector<String> out)
                throws Exception {
            failIfTold(job, name);
            if (number.f2 <= context.timerService().currentWatermark()) {
                out.collect(name + "|late|" + number);
                return;
            }
            long window = number.f2 / WINDOW;
            Long before = counts.get(window);
            counts.put(window, before == null ? 1 : before + 1);
            received.update(received.value() == null ? 1 : received.value() + 1);
            sum.update(sum.value() == null ? number.f1 : sum.value() + number.f1);
            context.timerService().registerEventTimeTimer((window + 1) * WINDOW - 1);
            context.timerService().registerEventTimeTimer(Long.MAX_VALUE);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            if (timestamp != Long.MAX_VALUE) {
                long window = timestamp / WINDOW;
                out.collect(
                        name
                                + "|"
                                + context.getCurrentKey()
                                + "|"
                                + window
                                + "|"
                                + counts.get(window));
                counts.remove(window);
                return;
            }
            long n = received.value();
            if (sum.value() != 0 && sum.value() != n * (n + 1) / 2) {
                out.collect(name + "|" + context.getCurrentKey() + "|sum|" + sum.value());
            }
        }
    }

    private static void failIfTold(String job, String name) {
        if (FAIL_ONCE.remove(job + "/" + name)) {
            throw new IllegalStateException("made to fail by the test");
        }
    }
}
