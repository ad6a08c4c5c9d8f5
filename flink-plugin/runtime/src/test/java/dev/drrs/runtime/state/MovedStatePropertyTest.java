package dev.drrs.runtime.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.state.AllStatesFunction.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.operators.windowing.WindowOperatorBuilder;
import org.apache.flink.util.Collector;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Per key, an operator whose key groups move puts out what one puts out whose key groups stay. */
class MovedStatePropertyTest {

    private static final int ROUNDS = 60;
    private static final int KEYS = 40;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void allKindsOfStateAndEventTimeTimersSurviveMovesBetweenSubtasksThatAreUnevenlyFar(long seed)
            throws Exception {
        Random random = new Random(seed);
        try (MovingOperators<Event> operators =
                moving(
                        random,
                        () -> new KeyedProcessOperator<>(new AllStatesFunction(null, false)))) {
            run(operators, random, 10);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void stateWithTtlAndProcessingTimeTimersSurviveMoves(long seed) throws Exception {
        Random random = new Random(seed);
        try (MovingOperators<Event> operators =
                moving(
                        random,
                        () ->
                                new KeyedProcessOperator<>(
                                        new AllStatesFunction(Duration.ofMillis(150), true)))) {
            long now = 0;
            operators.processingTime(now);
            for (int round = 0; round < ROUNDS; round++) {
                elements(operators, random, round, 11);
                operators.catchUp();
                operators.moveSome();
                if (random.nextBoolean()) {
                    operators.copySome();
                }
                if (random.nextBoolean()) {
                    operators.joinWherePossible();
                }
                now += random.nextInt(25);
                operators.processingTime(now);
            }
            finish(operators, false);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26})
    void mergingSessionWindowsWithLateElementsSurviveMoves(long seed) throws Exception {
        Random random = new Random(seed);
        try (MovingOperators<Event> operators =
                moving(
                        random,
                        () -> windows(EventTimeSessionWindows.withGap(Duration.ofMillis(12))))) {
            run(operators, random, 10);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    void slidingWindowsSurviveMoves(long seed) throws Exception {
        Random random = new Random(seed);
        try (MovingOperators<Event> operators =
                moving(
                        random,
                        () ->
                                windows(
                                        SlidingEventTimeWindows.of(
                                                Duration.ofMillis(20), Duration.ofMillis(5))))) {
            run(operators, random, 10);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {41, 42, 43, 44})
    void aSnapshotWithOpenSubscalesHasEveryEntryAndTimerOnce(long seed) throws Exception {
        Random random = new Random(seed);
        try (MovingOperators<Event> operators =
                moving(
                        random,
                        () -> new KeyedProcessOperator<>(new AllStatesFunction(null, false)))) {
            for (int round = 0; round < 20; round++) {
                elements(operators, random, round, 10);
                operators.someProgress();
                operators.moveSome();
                operators.copySome();
            }
            operators.moveSome();
            operators.copySome();
            operators.restoreFromSnapshot();
            for (int round = 20; round < 30; round++) {
                elements(operators, random, round, 10);
            }
            List<Map<String, List<String>>> afterRestore = operators.outputsAfterRestore();
            assertThat(afterRestore.get(0)).isNotEmpty().isEqualTo(afterRestore.get(1));
            finish(operators, true);
        }
    }

    private static MovingOperators<Event> moving(
            Random random, Supplier<OneInputStreamOperator<Event, String>> operators)
            throws Exception {
        int chunkBytes = random.nextBoolean() ? 32 * 1024 : 16 + random.nextInt(500);
        return new MovingOperators<>(
                2 + random.nextInt(2), operators, Event::key, random, chunkBytes);
    }

    private static OneInputStreamOperator<Event, String> windows(
            WindowAssigner<Object, TimeWindow> assigner) {
        WindowOperatorBuilder<Event, Integer, TimeWindow> builder =
                new WindowOperatorBuilder<>(
                        assigner,
                        EventTimeTrigger.create(),
                        new ExecutionConfig(),
                        TypeInformation.of(Event.class),
                        Event::key,
                        TypeInformation.of(Integer.class));
        builder.allowedLateness(Duration.ofMillis(4));
        return builder.process(new PrintWindow());
    }

    private static void run(MovingOperators<Event> operators, Random random, int kinds)
            throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            elements(operators, random, round, kinds);
            operators.someProgress();
            if (random.nextInt(3) > 0) {
                operators.moveSome();
            }
            if (random.nextInt(3) > 0) {
                operators.copySome();
            }
        }
        finish(operators, true);
    }

    private static void elements(
            MovingOperators<Event> operators, Random random, int round, int kinds) {
        for (int i = 0; i < 15; i++) {
            // Around the watermark, so that some are late.
            operators.element(
                    new Event(random.nextInt(KEYS), random.nextInt(kinds), random.nextInt(100)),
                    Math.max(0, round * 5L - 12 + random.nextInt(25)));
            if (i % 5 == 4) {
                operators.watermark(round * 5L + i / 5);
            }
        }
    }

    /**
     * @param exact whether the same entries are left; how far clean-up of expired ones has come may
     *     differ
     */
    private static void finish(MovingOperators<Event> operators, boolean exact) throws Exception {
        operators.catchUp();
        assertThat(operators.moved()).isPositive();
        assertThat(operators.copiedAhead()).isPositive();
        assertSame(operators, exact);
        operators.joinWherePossible();
        operators.watermark(1_000_000);
        operators.catchUp();
        assertSame(operators, exact);
    }

    private static void assertSame(MovingOperators<Event> operators, boolean exact) {
        assertThat(operators.actual()).isNotEmpty().isEqualTo(operators.expected());
        if (exact) {
            int[] leftOver = operators.leftOver();
            assertThat(leftOver[0]).isEqualTo(leftOver[1]);
        }
    }

    private static final class PrintWindow
            extends ProcessWindowFunction<Event, String, Integer, TimeWindow> {
        @Override
        public void process(
                Integer key, Context context, Iterable<Event> elements, Collector<String> out) {
            List<Integer> payloads = new ArrayList<>();
            elements.forEach(each -> payloads.add(each.payload()));
            out.collect(
                    key
                            + "|"
                            + context.window()
                            + payloads
                            + " clock "
                            + context.currentWatermark());
        }
    }
}
