package dev.drrs.dist;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A running count per key, (key, count) for each element, and what becomes of it behind the
 * operator: the counts of a key have to come one after the other. All tasks of a test are in this
 * JVM.
 */
final class RunningCounts {

    static final int KEYS = 200;

    /** What has come of the counts of one job. */
    static final class Seen {
        private final Map<Long, AtomicLong> last = new ConcurrentHashMap<>();
        private final AtomicLong outOfOrder = new AtomicLong();
        private volatile String first;

        /** A count has come. */
        void take(long key, long count) {
            long before = last.computeIfAbsent(key, unknown -> new AtomicLong()).getAndSet(count);
            if (count != before + 1) {
                outOfOrder.incrementAndGet();
                first = first == null ? "key " + key + ": " + count + " after " + before : first;
            }
        }

        /** How many counts did not come right after the one before, with the first of them. */
        String disorder() {
            return outOfOrder + (first == null ? "" : ", first " + first);
        }

        /** The last counts of all keys together. */
        long total() {
            return last.values().stream().mapToLong(AtomicLong::get).sum();
        }
    }

    private static final Map<String, Seen> OF_JOBS = new ConcurrentHashMap<>();

    private RunningCounts() {}

    static Seen seen(String job) {
        return OF_JOBS.computeIfAbsent(job, name -> new Seen());
    }

    /** The counting operator, named "operator". */
    static SingleOutputStreamOperator<Tuple2<Long, Long>> of(
            DataStream<Tuple2<Long, Long>> numbers) {
        return numbers.keyBy(number -> number.f0 % KEYS, Types.LONG)
                .process(new Count())
                .name("operator")
                .uid("operator");
    }

    /** A keyed operator that looks at the counts, named after the job with "look". */
    static SingleOutputStreamOperator<String> look(
            DataStream<Tuple2<Long, Long>> counts, String job) {
        return counts.keyBy(count -> count.f0, Types.LONG)
                .process(new Look(job))
                .name("look")
                .uid("look");
    }

    static final TypeInformation<Tuple2<Long, Long>> TYPE =
            TypeInformation.of(new TypeHint<Tuple2<Long, Long>>() {});

    private static final class Count
            extends KeyedProcessFunction<Long, Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("n", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> number, Context context, Collector<Tuple2<Long, Long>> out)
                throws Exception {
            long now = count.value() == null ? 1 : count.value() + 1;
            count.update(now);
            out.collect(Tuple2.of(context.getCurrentKey(), now));
        }
    }

    private static final class Look extends KeyedProcessFunction<Long, Tuple2<Long, Long>, String> {
        private final String job;
        private transient ValueState<Long> last;

        Look(String job) {
            this.job = job;
        }

        @Override
        public void open(OpenContext context) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
        }

        @Override
        public void processElement(Tuple2<Long, Long> count, Context context, Collector<String> out)
                throws Exception {
            last.update(count.f1);
            seen(job).take(count.f0, count.f1);
        }
    }
}
