package dev.drrs.dist;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.util.Collector;

/** Keyed operators over two streams of timed numbers; each is named "operator". */
final class SeveralInputs {

    static final int KEYS = 50;

    /** Numbers of one key are that many milliseconds of event time apart. */
    static final long STEP = KEYS;

    private static final long POLL_MILLIS = 20;
    private static final AtomicBoolean FAIL_ONCE = new AtomicBoolean();

    private SeveralInputs() {}

    static int key(Tuple2<Long, Long> element) {
        return (int) (element.f0 % KEYS);
    }

    /** One input made of both streams. */
    static DataStream<String> union(
            DataStream<Tuple2<Long, Long>> a, DataStream<Tuple2<Long, Long>> b) {
        return single(a.union(b));
    }

    /** One input. */
    static DataStream<String> single(DataStream<Tuple2<Long, Long>> a) {
        return named(a.keyBy(SeveralInputs::key, Types.INT).process(new Union()));
    }

    /** Two inputs, and timers and state of each. */
    static DataStream<String> connected(
            DataStream<Tuple2<Long, Long>> a, DataStream<Tuple2<Long, Long>> b) {
        return named(
                a.keyBy(SeveralInputs::key, Types.INT)
                        .connect(b.keyBy(SeveralInputs::key, Types.INT))
                        .process(new Connected()));
    }

    /** Pairs of numbers of one key that are at most one step apart. */
    static DataStream<String> joined(
            DataStream<Tuple2<Long, Long>> a, DataStream<Tuple2<Long, Long>> b) {
        return named(
                a.keyBy(SeveralInputs::key, Types.INT)
                        .intervalJoin(b.keyBy(SeveralInputs::key, Types.INT))
                        .between(Duration.ofMillis(-STEP), Duration.ofMillis(STEP))
                        .process(new Joined()));
    }

    /** As {@link #connected}, with a keyed operator "first" before the first input. */
    static DataStream<String> connectedBehindAnother(
            DataStream<Tuple2<Long, Long>> a, DataStream<Tuple2<Long, Long>> b) {
        return connected(
                a.keyBy(SeveralInputs::key, Types.INT)
                        .process(new Numbered())
                        .name("first")
                        .uid("first"),
                b);
    }

    /** As many inputs as streams, and timers and state of each. */
    @SafeVarargs
    static DataStream<String> many(DataStream<Tuple2<Long, Long>>... streams) {
        StreamExecutionEnvironment env = streams[0].getExecutionEnvironment();
        KeyedMultipleInputTransformation<String> operator =
                new KeyedMultipleInputTransformation<>(
                        "operator",
                        new ManyInputs.Factory(streams.length),
                        Types.STRING,
                        env.getParallelism(),
                        Types.INT);
        operator.setUid("operator");
        for (DataStream<Tuple2<Long, Long>> stream : streams) {
            operator.addInput(
                    stream.keyBy(SeveralInputs::key, Types.INT).getTransformation(),
                    (KeySelector<Tuple2<Long, Long>, Integer>) SeveralInputs::key);
        }
        env.addOperator(operator);
        return new DataStream<>(env, operator).rebalance();
    }

    /** Throws if the test has asked for it. */
    static void failIfAsked() {
        if (FAIL_ONCE.compareAndSet(true, false)) {
            throw new IllegalStateException("made to fail by the test");
        }
    }

    /** Makes the job fail with the next element that reaches its operator, and waits for that. */
    static void failNow() throws InterruptedException {
        FAIL_ONCE.set(true);
        while (FAIL_ONCE.get()) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static DataStream<String> named(SingleOutputStreamOperator<String> operator) {
        return operator.name("operator").uid("operator");
    }

    private static final class Union
            extends KeyedProcessFunction<Integer, Tuple2<Long, Long>, String> {
        private transient MetByTime met;

        @Override
        public void open(OpenContext context) {
            met = new MetByTime(getRuntimeContext());
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> element, Context context, Collector<String> out)
                throws Exception {
            met.first(element, context.timerService());
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(met.result(context.getCurrentKey(), time));
        }
    }

    /** Passes elements on and keeps state. */
    private static final class Numbered
            extends KeyedProcessFunction<Integer, Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private transient ValueState<Long> lastTime;

        @Override
        public void open(OpenContext context) {
            lastTime = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> element, Context context, Collector<Tuple2<Long, Long>> out)
                throws Exception {
            lastTime.update(element.f1);
            out.collect(element);
        }
    }

    private static final class Connected
            extends KeyedCoProcessFunction<
                    Integer, Tuple2<Long, Long>, Tuple2<Long, Long>, String> {
        private transient MetByTime met;

        @Override
        public void open(OpenContext context) {
            met = new MetByTime(getRuntimeContext());
        }

        @Override
        public void processElement1(
                Tuple2<Long, Long> element, Context context, Collector<String> out)
                throws Exception {
            failIfAsked();
            met.first(element, context.timerService());
        }

        @Override
        public void processElement2(
                Tuple2<Long, Long> element, Context context, Collector<String> out)
                throws Exception {
            met.second(element, context.timerService());
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(met.result(context.getCurrentKey(), time));
        }
    }

    private static final class Joined
            extends ProcessJoinFunction<Tuple2<Long, Long>, Tuple2<Long, Long>, String> {
        @Override
        public void processElement(
                Tuple2<Long, Long> a,
                Tuple2<Long, Long> b,
                Context context,
                Collector<String> out) {
            out.collect(a.f0 + "+" + b.f0);
        }
    }
}
