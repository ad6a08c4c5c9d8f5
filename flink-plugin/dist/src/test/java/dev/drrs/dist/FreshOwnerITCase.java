package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An operator with a backlog gets a new subtask. That one reads the newest event time of the source
 * at once, long before the old owner comes to it: would it tell its consumers, the old owner had to
 * work off its whole backlog before it might give anything away (rule R2).
 */
@Timeout(600)
class FreshOwnerITCase extends CleanCluster {

    /**
     * What the source sends at once, and finds room for in network buffers; the last number comes
     * when the job may end.
     */
    private static final long BACKLOG = 5_000;

    private static final long NUMBERS = BACKLOG + 1;

    /**
     * How long a record takes until the new subtask has one: with the whole backlog far more than
     * the test may take. From then on it is worked off as fast as it goes.
     */
    private static final Duration SLOW = Duration.ofMillis(50);

    private static volatile Backlog backlog;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers(
            value = "time: a new subtask while the old one has a backlog",
            path = {1, 2})
    @Test
    void theFirstKeyGroupsComeLongBeforeTheBacklogIsWorkedOff(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "fresh-owner";
        Backlog made = new Backlog();
        backlog = made;
        StreamExecutionEnvironment env = RescaledJob.environment(1, true);
        DataStream<Tuple2<Long, Long>> counts =
                numbers(env)
                        .keyBy(number -> number.f0 % RunningCounts.KEYS, Types.LONG)
                        .process(new SlowCount())
                        .name("operator")
                        .uid("operator");
        RunningCounts.look(counts, name).sinkTo(new DiscardingSink<>());
        RunningJob job = RunningJob.start(cluster, env, name);

        made.sent.get();
        String id = job.rescales().begin(job.rescales().request("operator", 2, 8));
        made.newOwnerHasOne.get();
        long before = made.ofOldOwner.get();
        assertThat(job.rescales().await(id).path("phase").asText()).isEqualTo("COMPLETED");
        made.mayEnd.complete(null);
        job.awaitEnd();

        assertThat(before).as("of %d", BACKLOG).isLessThan(BACKLOG / 2);
        assertThat(RunningCounts.seen(name).disorder()).isEqualTo("0");
        assertThat(RunningCounts.seen(name).total()).isEqualTo(NUMBERS);
        assertThat(made.timers.get()).as("timers, each once").isEqualTo(NUMBERS);
    }

    /** What the test sees of its job, whose tasks run in this JVM. */
    private static final class Backlog {
        final CompletableFuture<Void> sent = new CompletableFuture<>();
        final CompletableFuture<Void> newOwnerHasOne = new CompletableFuture<>();
        final CompletableFuture<Void> mayEnd = new CompletableFuture<>();

        /** Records that the old owner has processed when the new one has its first. */
        final AtomicLong ofOldOwner = new AtomicLong();

        final AtomicLong timers = new AtomicLong();
    }

    /** As fast as it goes to the last number of the backlog, with a watermark behind each. */
    private static DataStream<Tuple2<Long, Long>> numbers(StreamExecutionEnvironment env) {
        return env.fromSource(
                new DataGeneratorSource<>(
                        n -> Tuple2.of(n, n),
                        NUMBERS,
                        parallelism -> new Burst(),
                        RunningCounts.TYPE),
                WatermarkStrategy.<Tuple2<Long, Long>>forGenerator(context -> new EachOne())
                        .withTimestampAssigner((number, unused) -> number.f1),
                "numbers");
    }

    private static final class Burst implements RateLimiter<NumberSequenceSplit> {
        private final Backlog made = backlog;
        private long left = BACKLOG;

        @Override
        public CompletionStage<Void> acquire(int events) {
            left -= events;
            if (left >= 0) {
                return CompletableFuture.completedFuture(null);
            }
            made.sent.complete(null);
            return made.mayEnd;
        }
    }

    private static final class EachOne implements WatermarkGenerator<Tuple2<Long, Long>> {
        @Override
        public void onEvent(Tuple2<Long, Long> number, long time, WatermarkOutput output) {
            output.emitWatermark(new Watermark(time - 1));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    /** Counts per key; a timer for each record. */
    private static final class SlowCount
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
            Backlog seen = backlog;
            if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() > 0) {
                seen.newOwnerHasOne.complete(null);
            } else if (!seen.newOwnerHasOne.isDone()) {
                seen.ofOldOwner.incrementAndGet();
                LockSupport.parkNanos(SLOW.toNanos());
            }
            long now = count.value() == null ? 1 : count.value() + 1;
            count.update(now);
            context.timerService().registerEventTimeTimer(number.f1);
            out.collect(Tuple2.of(context.getCurrentKey(), now));
        }

        @Override
        public void onTimer(
                long timestamp, OnTimerContext context, Collector<Tuple2<Long, Long>> out) {
            backlog.timers.incrementAndGet();
        }
    }
}
