package dev.drrs.nexmark.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Workload.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadTest {

    private static final int EVENTS = 10_007;

    @ParameterizedTest
    @CsvSource({"2,1", "7,1", "7,10"})
    void anySplitHasTheEventsOfTheWholeWithTheSameValuesAndEventTimes(int splits, int disorder) {
        List<Event> whole = OracleTest.eventsOf(workload(1, 1, 500).split(0));
        List<Event> parts = new ArrayList<>();
        for (int split = 0; split < splits; split++) {
            parts.addAll(OracleTest.eventsOf(workload(splits, disorder, 500).split(split)));
        }
        parts.sort(Comparator.comparingLong(Event::number));
        assertThat(parts.stream().map(WorkloadTest::withoutOffset))
                .isEqualTo(whole.stream().map(WorkloadTest::withoutOffset).toList());
    }

    private static String withoutOffset(Event event) {
        return event.toString().replaceFirst("offsetMs=\\d+", "");
    }

    @ParameterizedTest
    @CsvSource({"1,1", "3,10", "1,1000", "3,4000"})
    void offsetsAscendAndNoEventIsBehindItsWatermark(int splits, int disorder) {
        for (int split = 0; split < splits; split++) {
            SplitPlan plan = workload(splits, disorder, 0).split(split);
            long offset = 0;
            long highest = Long.MIN_VALUE;
            for (long position = 0; position < plan.size(); position++) {
                Event event = plan.event(position);
                assertThat(event.offsetMs()).isGreaterThanOrEqualTo(offset);
                offset = event.offsetMs();
                highest = Math.max(highest, plan.watermark(position));
                assertThat(event.timestamp()).isGreaterThan(highest);
            }
        }
    }

    @Test
    void mixedModeSpreadsTheHotBidsEvenlyAndDependsOnTheSeed() {
        List<Event> events = OracleTest.eventsOf(workload(1, 1, 0).split(0));
        long hot =
                events.stream()
                        .filter(e -> e instanceof Bid bid && bid.auction() % 100 == 0)
                        .count();
        assertThat(hot / (EVENTS * 0.92)).isBetween(0.45, 0.55);
        Workload other =
                new Workload(
                        Mode.MIXED,
                        8,
                        0,
                        EVENTS,
                        Layout.INTERLEAVED,
                        1,
                        RateSchedule.constant(1000),
                        0,
                        1);
        assertThat(other.split(0).event(9)).isNotEqualTo(events.get(9));
    }

    @Test
    void splitMix64GivesThePublishedFirstOutputsOfSeed1234567() {
        assertThat(Mode.MIXED.seedOf(1234567, 0)).isEqualTo(6457827717110365317L);
        assertThat(Mode.MIXED.seedOf(1234567, 1)).isEqualTo(3203168211198807973L);
    }

    @Test
    void squareScheduleHasTheEventsOfBothRatesInEachPeriod() {
        RateSchedule schedule = RateSchedule.square(1000, 100, 2000);
        assertThat(schedule.offsetMs(0)).isZero();
        assertThat(schedule.offsetMs(999)).isEqualTo(999);
        assertThat(schedule.offsetMs(1000)).isEqualTo(1000);
        assertThat(schedule.offsetMs(1099)).isEqualTo(1990);
        assertThat(schedule.offsetMs(1100)).isEqualTo(2000);
    }

    @Test
    void stepsOfDifferentLengthFollowEachOtherOverAndOver() {
        RateSchedule schedule =
                RateSchedule.steps(
                        List.of(new RateSchedule.Step(100, 1000), new RateSchedule.Step(10, 500)));
        assertThat(LongStream.of(0, 1, 99, 100, 101, 104, 105, 205).map(schedule::offsetMs))
                .containsExactly(0L, 10L, 990L, 1000L, 1100L, 1400L, 1500L, 2500L);
        assertThatThrownBy(() -> new RateSchedule.Step(5, 0)).hasMessageContaining("at least 1 ms");
        assertThatThrownBy(() -> RateSchedule.steps(List.of(new RateSchedule.Step(1, 10))))
                .hasMessageContaining("too short");
    }

    @Test
    void sineScheduleAscendsAndIsFastestAtThePeriodsStart() {
        RateSchedule schedule = RateSchedule.sine(1000, 100, 10_000);
        long before = 0;
        for (long index = 0; index < 12_000; index++) {
            assertThat(schedule.offsetMs(index)).isGreaterThanOrEqualTo(before);
            before = schedule.offsetMs(index);
        }
        assertThat(schedule.offsetMs(1000)).isEqualTo(1000);
        assertThat(schedule.offsetMs(5500)).isBetween(9900L, 10_100L);
    }

    @Test
    void impossibleWorkloadsAreRefused() {
        assertThatThrownBy(() -> workload(0, 1, 0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> workload(1, 953, 0)).hasMessageContaining("953");
        assertThatThrownBy(() -> RateSchedule.constant(0)).hasMessageContaining("1 to 1000000");
        assertThatThrownBy(() -> workload(2, 1, 0).split(2)).hasMessageContaining("No split 2");
    }

    @Test
    void theGeneratorKnowsNothingOfFlink() throws IOException {
        try (Stream<Path> sources =
                Files.walk(Path.of("src/main/java/dev/drrs/nexmark/generator"))) {
            assertThat(sources.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allSatisfy(
                            source ->
                                    assertThat(Files.readString(source))
                                            .doesNotContain("org.apache.flink"));
        }
    }

    private static Workload workload(int splits, int disorder, long startNumber) {
        return new Workload(
                Mode.MIXED,
                7,
                startNumber,
                EVENTS,
                Layout.INTERLEAVED,
                splits,
                RateSchedule.constant(1000),
                Workload.NEXMARK_BASE_TIME_MS,
                disorder);
    }
}
