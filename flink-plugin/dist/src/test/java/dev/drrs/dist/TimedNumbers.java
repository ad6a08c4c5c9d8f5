package dev.drrs.dist;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
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

    private TimedNumbers() {}

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
                0,
                pace(perSecond),
                WatermarkStrategy.<Tuple2<Long, Long>>forMonotonousTimestamps());
    }

    /**
     * As {@link #steady}, but silent at first, and later in time by an offset.
     *
     * @param idle whether it says that it is idle while it is silent; if not, it holds event time
     */
    static DataStream<Tuple2<Long, Long>> silentAtFirst(
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            long perSecond,
            long offset,
            Duration silence,
            boolean idle) {
        RateLimiterStrategy<NumberSequenceSplit> pace = pace(perSecond);
        WatermarkStrategy<Tuple2<Long, Long>> time = WatermarkStrategy.forMonotonousTimestamps();
        return of(
                env,
                name,
                numbers,
                offset,
                parallelism -> new LateStart(pace.createRateLimiter(parallelism), silence),
                idle ? time.withIdleness(Duration.ofMillis(100)) : time);
    }

    /** Event time of a number of such a source. */
    static long time(long number, long numbers, long offset) {
        return number % (numbers / SUBTASKS) + offset;
    }

    @SuppressWarnings("unchecked") // Flink's own signature is raw
    private static RateLimiterStrategy<NumberSequenceSplit> pace(long perSecond) {
        return RateLimiterStrategy.perSecond(perSecond);
    }

    private static DataStream<Tuple2<Long, Long>> of(
            StreamExecutionEnvironment env,
            String name,
            long numbers,
            long offset,
            RateLimiterStrategy<NumberSequenceSplit> pace,
            WatermarkStrategy<Tuple2<Long, Long>> time) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                n -> Tuple2.of(n, time(n, numbers, offset)),
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
}
