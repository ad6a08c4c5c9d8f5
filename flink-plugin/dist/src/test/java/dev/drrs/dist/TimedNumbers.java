package dev.drrs.dist;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Sources of (number, event time in milliseconds), in order of time in each of two subtasks. */
final class TimedNumbers {

    static final int SUBTASKS = 2;

    private static volatile CompletableFuture<Void> released = new CompletableFuture<>();

    /** By name of the source: pacers of its subtasks so far. They are made in this JVM. */
    private static final Map<String, AtomicInteger> MADE = new ConcurrentHashMap<>();

    private TimedNumbers() {}

    /** Sources that start from here on wait; those that run already are not released any more. */
    static void holdUntilReleased() {
        released = new CompletableFuture<>();
    }

    static boolean isReleased() {
        return released.isDone();
    }

    /** They go on and end. */
    static void release() {
        released.complete(null);
    }

    /** Releases the sources and waits until the job has ended. */
    static JobExecutionResult awaitEnd(JobClient client) throws Exception {
        release();
        return client.getJobExecutionResult().get();
    }

    /**
     * Numbers 0 to n-1; the one half from 0, the other from n/2 on, at the same pace until the
     * sources are released: the rest comes as fast as it goes then, and the last number of either
     * half not before. The event time of a number is its place in its half.
     */
    static DataStream<Tuple2<Long, Long>> steady(
            StreamExecutionEnvironment env, String name, long numbers, long perSecond) {
        return of(
                env,
                name,
                numbers,
                heldAfter(numbers / SUBTASKS, perSecond),
                WatermarkStrategy.<Tuple2<Long, Long>>forMonotonousTimestamps());
    }

    /** As {@link #steady}, but it waits for nothing and comes to its end by itself. */
    static DataStream<Tuple2<Long, Long>> ending(
            StreamExecutionEnvironment env, String name, long numbers, long perSecond) {
        return of(
                env,
                name,
                numbers,
                pace(perSecond),
                WatermarkStrategy.<Tuple2<Long, Long>>forMonotonousTimestamps());
    }

    /**
     * As {@link #steady} for a third of the numbers, then silent until the sources are released;
     * the rest comes as fast as it goes. A job that has been restored waits as well.
     */
    static DataStream<Tuple2<Long, Long>> untilReleased(
            StreamExecutionEnvironment env, String name, long numbers, long perSecond) {
        return of(
                env,
                name,
                numbers,
                heldAfter(numbers / SUBTASKS / 3, perSecond),
                WatermarkStrategy.<Tuple2<Long, Long>>forMonotonousTimestamps());
    }

    /**
     * As {@link #steady}, but one of the subtasks is through at once, the other one waits until the
     * sources are released.
     */
    static DataStream<Tuple2<Long, Long>> unevenUntilReleased(
            StreamExecutionEnvironment env, String name, long numbers) {
        MADE.put(name, new AtomicInteger());
        return of(
                env,
                name,
                numbers,
                parallelism ->
                        MADE.get(name).getAndIncrement() % SUBTASKS == 0
                                ? events -> CompletableFuture.completedFuture(null)
                                : held(),
                WatermarkStrategy.<Tuple2<Long, Long>>forMonotonousTimestamps());
    }

    /** As {@link #steady}, but silent at first; meanwhile it holds event time. */
    static DataStream<Tuple2<Long, Long>> silentAtFirst(
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            long perSecond,
            Duration silence) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        return of(
                env,
                name,
                numbers,
                parallelism ->
                        new Held(
                                new LateStart(pace.createRateLimiter(parallelism), silence),
                                numbers / SUBTASKS),
                WatermarkStrategy.<Tuple2<Long, Long>>forMonotonousTimestamps());
    }

    /**
     * Numbers 0 to n-1 in one subtask, that is silent and idle at first, but never afterwards: of
     * two, the one that returns behind the other would not hold event time.
     *
     * @param offset event time of number 0; each is a millisecond after the one before
     */
    static DataStream<Tuple2<Long, Long>> idleAtFirst(
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            long perSecond,
            long offset,
            Duration silence) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        return env.fromSource(
                        new DataGeneratorSource<>(
                                n -> Tuple2.of(n, n + offset),
                                numbers,
                                parallelism ->
                                        new Held(
                                                new LateStart(
                                                        pace.createRateLimiter(parallelism),
                                                        silence),
                                                numbers),
                                TypeInformation.of(new TypeHint<Tuple2<Long, Long>>() {})),
                        WatermarkStrategy.<Tuple2<Long, Long>>forGenerator(
                                        context -> new IdleUntilFirst())
                                .withTimestampAssigner((number, unused) -> number.f1),
                        name)
                .setParallelism(1);
    }

    private static final class IdleUntilFirst implements WatermarkGenerator<Tuple2<Long, Long>> {
        private boolean spoken;

        @Override
        public void onEvent(Tuple2<Long, Long> number, long time, WatermarkOutput output) {
            spoken = true;
            output.emitWatermark(new Watermark(time - 1));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            if (!spoken) {
                output.markIdle();
            }
        }
    }

    /**
     * At this pace for so many numbers of a subtask, the last of which waits until the sources are
     * released, as all behind it; from then on as fast as it goes. A job that has been restored
     * counts from the start.
     */
    static RateLimiterStrategy<NumberSequenceSplit> heldAfter(long numbers, long perSecond) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        return parallelism -> new Held(pace.createRateLimiter(parallelism), numbers);
    }

    /** At this pace until the sources are released, the last number of each subtask not before. */
    static RateLimiterStrategy<NumberSequenceSplit> paced(long numbers, long perSecond) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        return parallelism -> new Held(pace.createRateLimiter(parallelism), numbers / parallelism);
    }

    private static RateLimiter<NumberSequenceSplit> held() {
        CompletableFuture<Void> end = released;
        return events -> end;
    }

    /** At this pace to the end, which comes by itself. */
    @SuppressWarnings("unchecked") // Flink's own signature is raw
    static RateLimiterStrategy<NumberSequenceSplit> pace(long perSecond) {
        return RateLimiterStrategy.perSecond(perSecond);
    }

    private static DataStream<Tuple2<Long, Long>> of(
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            RateLimiterStrategy<NumberSequenceSplit> pace,
            WatermarkStrategy<Tuple2<Long, Long>> time) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                n -> Tuple2.of(n, n % (numbers / SUBTASKS)),
                                numbers,
                                pace,
                                TypeInformation.of(new TypeHint<Tuple2<Long, Long>>() {})),
                        time.withTimestampAssigner((number, unused) -> number.f1),
                        name)
                .setParallelism(SUBTASKS);
    }

    private static final class LateStart implements RateLimiter<NumberSequenceSplit> {
        private final RateLimiter<NumberSequenceSplit> then;
        private final Duration silence;
        private boolean begun;

        LateStart(RateLimiter<NumberSequenceSplit> then, Duration silence) {
            this.then = then;
            this.silence = silence;
        }

        @Override
        public CompletionStage<Void> acquire(int events) {
            if (begun) {
                return then.acquire(events);
            }
            begun = true;
            return CompletableFuture.runAsync(
                    () -> {},
                    CompletableFuture.delayedExecutor(silence.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    private static final class Held implements RateLimiter<NumberSequenceSplit> {
        private final CompletableFuture<Void> end = released;
        private final RateLimiter<NumberSequenceSplit> then;
        private long left;

        Held(RateLimiter<NumberSequenceSplit> then, long numbers) {
            this.then = then;
            this.left = numbers;
        }

        @Override
        public CompletionStage<Void> acquire(int events) {
            left -= events;
            return left <= 0 || end.isDone() ? end : then.acquire(events);
        }
    }
}
