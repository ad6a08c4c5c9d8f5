package dev.drrs.dist;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Sources of (number, event time in milliseconds), in order of time in each of two subtasks. */
final class TimedNumbers {

    static final int SUBTASKS = 2;

    private static volatile CompletableFuture<Void> released = new CompletableFuture<>();

    /** By name of the source: pacers of its subtasks so far. They are made in this JVM. */
    private static final Map<String, AtomicInteger> MADE = new ConcurrentHashMap<>();

    private TimedNumbers() {}

    /** Sources of {@link #untilReleased} wait from here on. */
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

    /**
     * Numbers 0 to n-1; the one half from 0, the other from n/2 on, at the same pace. The event
     * time of a number is its place in its half.
     */
    static DataStream<Tuple2<Long, Long>> steady(
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

    /** As {@link #steady} until the sources are released; the rest comes as fast as it goes. */
    static DataStream<Tuple2<Long, Long>> steadyUntilReleased(
            StreamExecutionEnvironment env, String name, long numbers, long perSecond) {
        return of(
                env,
                name,
                numbers,
                pacedUntilReleased(perSecond),
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
                                : events -> released,
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
                parallelism -> new LateStart(pace.createRateLimiter(parallelism), silence),
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
                                        new LateStart(pace.createRateLimiter(parallelism), silence),
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

    /** At this pace for so many numbers of a subtask, then none until the sources are released. */
    static RateLimiterStrategy<NumberSequenceSplit> heldAfter(long numbers, long perSecond) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        return parallelism -> new HeldEnd(pace.createRateLimiter(parallelism), numbers);
    }

    /** At this pace until the sources are released, then as fast as it goes. */
    static RateLimiterStrategy<NumberSequenceSplit> pacedUntilReleased(long perSecond) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        return parallelism -> new Released(pace.createRateLimiter(parallelism));
    }

    private record Released(RateLimiter<NumberSequenceSplit> before)
            implements RateLimiter<NumberSequenceSplit> {
        @Override
        public CompletionStage<Void> acquire(int events) {
            return released.isDone() ? released : before.acquire(events);
        }
    }

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

    private static final class HeldEnd implements RateLimiter<NumberSequenceSplit> {
        private final RateLimiter<NumberSequenceSplit> then;
        private long left;

        HeldEnd(RateLimiter<NumberSequenceSplit> then, long numbers) {
            this.then = then;
            this.left = numbers;
        }

        @Override
        public CompletionStage<Void> acquire(int events) {
            left -= events;
            return left > 0 ? then.acquire(events) : released;
        }
    }
}
