package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code reference} does as the public DRRS code does it. */
class ReferenceStrategyTest {

    private final Policies reference =
            Strategies.byName("reference").orElseThrow().policies(Map.of());

    /** What was counted with the planner of the public code. */
    @ParameterizedTest
    @CsvSource({"128, 8, 12, 111, 14, 5, 11", "256, 25, 30, 229, 45, 1, 9"})
    void asManyKeyGroupsMoveInAsManySubscales(
            int keyGroups, int from, int to, int moving, int subscales, int least, int most) {
        List<Plan.Move> moves = moves(keyGroups, from, to);
        IntSummaryStatistics sizes =
                moves.stream().mapToInt(move -> move.keyGroups().length).summaryStatistics();
        assertThat(sizes.getSum()).isEqualTo(moving);
        assertThat(sizes.getCount()).isEqualTo(subscales);
        assertThat(sizes.getMin()).isEqualTo(least);
        assertThat(sizes.getMax()).isEqualTo(most);
    }

    @ParameterizedTest
    @CsvSource({"128, 8, 12", "64, 2, 3", "64, 3, 2", "7, 7, 1"})
    void theMovesLeadToRanges(int keyGroups, int from, int to) {
        int[] present = ranges(keyGroups, from);
        int[] target = ranges(keyGroups, to);
        Plan plan = Planner.towards(present, target, unknown(keyGroups), reference.units());
        assertThat(PlanValidator.validate(present, to, Math.max(from, to), plan)).isEmpty();
    }

    @Test
    void whereARequestLeavesThePlaceOpenThereAreRangesOfTheOwnersThatThereAre() {
        Plan plan =
                Planner.evenly(
                        new int[] {0, 0, 0, 3, 3, 3},
                        List.of(0, 3),
                        3,
                        4,
                        new Surroundings(Map.of(), Map.of(), Set.of()),
                        unknown(6),
                        reference.units());
        assertThat(plan.placement()).containsExactly(0, 0, 1, 1, 3, 3);
    }

    @Test
    void keyGroupsOfASubscaleComeOneAfterTheOther() {
        assertThat(reference.pullOrder()).isEqualTo(new PlanOrder(1));
        assertThat(reference.copyAhead()).isEqualTo(CopyAhead.NONE);
        moves(64, 2, 3).forEach(move -> assertThat(move.keyGroups()).isSorted());
    }

    @Test
    void theEmptiestOwnerGetsOfThePairThatHasMostLeft() {
        StartRule rule = reference.startRule();
        assertThat(rule.roundMillis()).isEqualTo(1000);
        Subscale toFull = new Subscale(1, 0, 1, new int[] {1});
        Subscale alone = new Subscale(2, 0, 2, new int[] {2});
        Subscale first = new Subscale(3, 1, 2, new int[] {3});
        Subscale second = new Subscale(4, 1, 2, new int[] {4});
        List<Subscale> ready = List.of(toFull, alone, first, second);
        Map<Integer, Integer> started = new HashMap<>();
        StartRule.Running running = running(started, Map.of(0, 4, 1, 4));
        assertThat(rule.toStart(ready, running)).isEqualTo(first);
        started.put(1, 2);
        assertThat(rule.toStart(ready, running)).isEqualTo(alone);
        started.put(2, 2);
        assertThat(rule.toStart(ready, running)).isNull();
    }

    private static StartRule.Running running(
            Map<Integer, Integer> started, Map<Integer, Integer> keyGroups) {
        return new StartRule.Running() {
            @Override
            public int started(int subtask) {
                return started.getOrDefault(subtask, 0);
            }

            @Override
            public int startedOnNode(int subtask) {
                return 0;
            }

            @Override
            public int left(int subtask) {
                return 0;
            }

            @Override
            public int keyGroups(int subtask) {
                return keyGroups.getOrDefault(subtask, 0);
            }

            @Override
            public int unready() {
                return 0;
            }
        };
    }

    @Test
    void aSubtaskStandsAtTwoHundredRecordsHoweverLittleWaitsOnAChannel() {
        WaitRule rule = reference.waitRule();
        assertThat(rule.othersWait()).isTrue();
        assertThat(rule.channelsWait(199, 250, Long.MAX_VALUE)).isFalse();
        assertThat(rule.channelsWait(200, 200, 0)).isTrue();
        assertThat(rule.channelsWait(0, 2000, 0)).as("event time alone is bounded too").isTrue();
    }

    @Test
    void whatIsReRoutedGoesTogetherAtAMebibyteOrAfterASecond() {
        assertThat(reference.signals())
                .isEqualTo(new DirectSignals(new RerouteBatch(1 << 20, 1000)));
    }

    @Test
    void aRequestMayChangeEachOfThem() {
        Policies changed =
                Strategies.byName("reference")
                        .orElseThrow()
                        .policies(
                                Map.of(
                                        ReferenceStrategy.ROUND, "20",
                                        ReferenceStrategy.SUBSCALE_CONCURRENCY, "3",
                                        ReferenceStrategy.SUBSCALE_KEY_GROUPS, "4",
                                        ReferenceStrategy.PULL_WINDOW, "5",
                                        ReferenceStrategy.SET_ASIDE_RECORDS, "6",
                                        ReferenceStrategy.REROUTE_BYTES, "7 kb",
                                        ReferenceStrategy.REROUTE_TIMEOUT, "8"));
        assertThat(changed)
                .isEqualTo(
                        new Policies(
                                new RangeHalves(4),
                                new OneARound(20, 3),
                                new DirectSignals(new RerouteBatch(7 << 10, 8)),
                                new PlanOrder(5),
                                new Suspension(6),
                                CopyAhead.NONE));
    }

    private List<Plan.Move> moves(int keyGroups, int from, int to) {
        return reference
                .units()
                .divide(ranges(keyGroups, from), ranges(keyGroups, to), unknown(keyGroups));
    }

    private int[] ranges(int keyGroups, int owners) {
        TreeSet<Integer> all = new TreeSet<>(IntStream.range(0, owners).boxed().toList());
        int[] anything = new int[keyGroups];
        int[] placement = reference.units().placement(anything, all, unknown(keyGroups));
        assertThat(Arrays.stream(placement).distinct().count()).isEqualTo(owners);
        return placement;
    }

    private static KeyGroupLoad unknown(int keyGroups) {
        return KeyGroupLoad.unknown(keyGroups);
    }
}
