package dev.drrs.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.co.CoFlatMapFunction;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.streaming.api.functions.co.RichCoFlatMapFunction;
import org.apache.flink.streaming.api.functions.co.RichCoMapFunction;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Functions for each kind of keyed operator; all of them count the numbers of a key. A result names
 * its kind, the key, and the count.
 */
final class KindsOfOperators {

    private static final long ANSWER_MILLIS = 20;

    private KindsOfOperators() {}

    /** Numbers 0 to n-1 of one subtask, by key; the event time of each is the number. */
    static KeyedStream<Long, Integer> numbers(
            StreamExecutionEnvironment env, long numbers, long perSecond) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                n -> n,
                                numbers,
                                TimedNumbers.paced(numbers, perSecond),
                                Types.LONG),
                        WatermarkStrategy.<Long>forMonotonousTimestamps()
                                .withTimestampAssigner((n, unused) -> n),
                        "numbers")
                .setParallelism(1)
                .keyBy(KindsOfOperators::key);
    }

    static int key(long number) {
        return (int) (number % CountedNumbers.KEYS);
    }

    static String result(String kind, int key, long count) {
        return kind + " " + key + " " + count;
    }

    private static ValueState<Long> counter(RuntimeContext context, String name) {
        return context.getState(new ValueStateDescriptor<>(name, Types.LONG));
    }

    private static long next(ValueState<Long> counter) throws Exception {
        long next = counter.value() == null ? 1 : counter.value() + 1;
        counter.update(next);
        return next;
    }

    static final class Map extends RichMapFunction<Long, String> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = counter(getRuntimeContext(), "count");
        }

        @Override
        public String map(Long number) throws Exception {
            return result("map", key(number), next(count));
        }
    }

    /** Every second number. */
    static final class FlatMap extends RichFlatMapFunction<Long, String> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = counter(getRuntimeContext(), "count");
        }

        @Override
        public void flatMap(Long number, Collector<String> out) throws Exception {
            long n = next(count);
            if (n % 2 == 0) {
                out.collect(result("flatMap", key(number), n));
            }
        }
    }

    /** Every third number. */
    static final class Filter extends RichFilterFunction<Long> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = counter(getRuntimeContext(), "count");
        }

        @Override
        public boolean filter(Long number) throws Exception {
            return next(count) % 3 == 0;
        }
    }

    /** Of the numbers that the evictor has left in a window. */
    static final class Window extends ProcessWindowFunction<Long, String, Integer, TimeWindow> {
        @Override
        public void process(
                Integer key, Context context, Iterable<Long> numbers, Collector<String> out) {
            List<Long> all = new ArrayList<>();
            numbers.forEach(all::add);
            out.collect("window " + key + " " + all);
        }
    }

    /** With a timer for each number. */
    static final class OldCoProcess extends CoProcessFunction<Long, Long, String> {
        private transient ValueState<Long> first;
        private transient ValueState<Long> second;
        private transient ValueState<Long> fired;

        @Override
        public void open(OpenContext context) {
            first = counter(getRuntimeContext(), "first");
            second = counter(getRuntimeContext(), "second");
            fired = counter(getRuntimeContext(), "fired");
        }

        @Override
        public void processElement1(Long number, Context context, Collector<String> out)
                throws Exception {
            out.collect(result("co1", key(number), next(first)));
            context.timerService().registerEventTimeTimer(number);
        }

        @Override
        public void processElement2(Long number, Context context, Collector<String> out)
                throws Exception {
            out.collect(result("co2", key(number), next(second)));
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(result("fired", key(time), next(fired)));
        }
    }

    static final class CoMap extends RichCoMapFunction<Long, Long, String> {
        private transient ValueState<Long> first;
        private transient ValueState<Long> second;

        @Override
        public void open(OpenContext context) {
            first = counter(getRuntimeContext(), "first");
            second = counter(getRuntimeContext(), "second");
        }

        @Override
        public String map1(Long number) throws Exception {
            return result("coMap1", key(number), next(first));
        }

        @Override
        public String map2(Long number) throws Exception {
            return result("coMap2", key(number), next(second));
        }
    }

    static final class CoFlatMap extends RichCoFlatMapFunction<Long, Long, String> {
        private transient ValueState<Long> first;
        private transient ValueState<Long> second;

        @Override
        public void open(OpenContext context) {
            first = counter(getRuntimeContext(), "first");
            second = counter(getRuntimeContext(), "second");
        }

        @Override
        public void flatMap1(Long number, Collector<String> out) throws Exception {
            out.collect(result("coFlatMap1", key(number), next(first)));
        }

        @Override
        public void flatMap2(Long number, Collector<String> out) throws Exception {
            out.collect(result("coFlatMap2", key(number), next(second)));
        }
    }

    /** Key and count. */
    static final class Process extends KeyedProcessFunction<Integer, Long, Tuple2<Integer, Long>> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = counter(getRuntimeContext(), "count");
        }

        @Override
        public void processElement(
                Long number, Context context, Collector<Tuple2<Integer, Long>> out)
                throws Exception {
            out.collect(Tuple2.of(context.getCurrentKey(), next(count)));
        }
    }

    /** Not keyed: what follows on two FORWARD edges. */
    static final class BothProcess
            extends CoProcessFunction<Tuple2<Integer, Long>, Tuple2<Integer, Long>, String> {
        @Override
        public void processElement1(
                Tuple2<Integer, Long> counted, Context context, Collector<String> out) {
            out.collect(result("both1", counted.f0, counted.f1));
        }

        @Override
        public void processElement2(
                Tuple2<Integer, Long> counted, Context context, Collector<String> out) {
            out.collect(result("both2", counted.f0, counted.f1));
        }
    }

    /** As {@link BothProcess}. */
    static final class BothMap
            implements CoMapFunction<Tuple2<Integer, Long>, Tuple2<Integer, Long>, String> {
        @Override
        public String map1(Tuple2<Integer, Long> counted) {
            return result("bothMap1", counted.f0, counted.f1);
        }

        @Override
        public String map2(Tuple2<Integer, Long> counted) {
            return result("bothMap2", counted.f0, counted.f1);
        }
    }

    /** As {@link BothProcess}. */
    static final class BothFlatMap
            implements CoFlatMapFunction<Tuple2<Integer, Long>, Tuple2<Integer, Long>, String> {
        @Override
        public void flatMap1(Tuple2<Integer, Long> counted, Collector<String> out) {
            out.collect(result("bothFlatMap1", counted.f0, counted.f1));
        }

        @Override
        public void flatMap2(Tuple2<Integer, Long> counted, Collector<String> out) {
            out.collect(result("bothFlatMap2", counted.f0, counted.f1));
        }
    }

    /** Answers some time later, in another thread. */
    static final class Call implements AsyncFunction<Tuple2<Integer, Long>, String> {
        @Override
        public void asyncInvoke(Tuple2<Integer, Long> counted, ResultFuture<String> answer) {
            CompletableFuture.delayedExecutor(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(
                            () -> answer.complete(List.of(result("call", counted.f0, counted.f1))));
        }
    }

    /** To where the other sinks of the job write. */
    @SuppressWarnings("deprecation") // still in jobs
    record OldSink(String job) implements SinkFunction<String> {
        @Override
        public void invoke(String result, Context context) {
            KeptResults.of(job).merge(result, 1, Integer::sum);
        }
    }
}
