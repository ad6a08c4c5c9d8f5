package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.drrs.protocol.Plan.Move;
import dev.drrs.protocol.Surroundings.Others;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {

    private static final int CASES = 1000;

    /** Drawn placements, some with active subtasks that own nothing, out, in and level. */
    @Test
    void aPlanIsValidEvenAndMovesNoKeyGroupMoreThanItHasTo() {
        for (int seed = 0; seed < CASES; seed++) {
            Random random = new Random(seed);
            int keyGroups = 1 + random.nextInt(200);
            int ceiling = 1 + random.nextInt(20);
            List<Integer> active = active(random, ceiling);
            int[] present =
                    IntStream.range(0, keyGroups)
                            .map(keyGroup -> active.get(random.nextInt(active.size())))
                            .toArray();
            int parallelism = 1 + random.nextInt(Math.min(ceiling, keyGroups));
            KeyGroupLoad load = load(random, keyGroups);

            Plan plan =
                    Planner.evenly(
                            present,
                            active,
                            parallelism,
                            ceiling,
                            around(random, active),
                            load,
                            Units.BOUNDED);

            assertThat(PlanValidator.validate(present, parallelism, ceiling, plan))
                    .as("seed " + seed)
                    .isEmpty();
            long moved =
                    IntStream.range(0, keyGroups)
                            .filter(keyGroup -> plan.placement()[keyGroup] != present[keyGroup])
                            .count();
            assertThat(moved)
                    .as("seed " + seed)
                    .isEqualTo(Balance.fewestMoves(present, plan.owners()));
            long[] owned =
                    plan.owners().stream()
                            .mapToLong(owner -> owned(plan, owner))
                            .sorted()
                            .toArray();
            assertThat(owned[owned.length - 1] - owned[0]).as("seed " + seed).isLessThan(2);
            assertThat(plan.moves())
                    .as("seed " + seed)
                    .allMatch(move -> isWithinBounds(move, load))
                    .allMatch(move -> isHottestFirst(move, load));
        }
    }

    /** A key group that is larger by itself is alone. */
    private static boolean isWithinBounds(Move move, KeyGroupLoad load) {
        int[] keyGroups = move.keyGroups();
        long bytes = IntStream.of(keyGroups).mapToLong(g -> load.bytes()[g]).sum();
        long entries = IntStream.of(keyGroups).mapToLong(g -> load.entries()[g]).sum();
        return keyGroups.length == 1
                || bytes <= SubscaleDivision.MAX_BYTES
                        && entries <= SubscaleDivision.MAX_ENTRIES
                        && keyGroups.length <= SubscaleDivision.MAX_KEY_GROUPS;
    }

    private static boolean isHottestFirst(Move move, KeyGroupLoad load) {
        int[] keyGroups = move.keyGroups();
        return IntStream.range(1, keyGroups.length)
                .allMatch(i -> load.records()[keyGroups[i - 1]] >= load.records()[keyGroups[i]]);
    }

    private static long owned(Plan plan, int owner) {
        return IntStream.of(plan.placement()).filter(o -> o == owner).count();
    }

    private static List<Integer> active(Random random, int ceiling) {
        List<Integer> active =
                IntStream.range(0, ceiling).filter(i -> random.nextBoolean()).boxed().toList();
        return active.isEmpty() ? List.of(random.nextInt(ceiling)) : active;
    }

    private static KeyGroupLoad load(Random random, int keyGroups) {
        KeyGroupLoad load = KeyGroupLoad.unknown(keyGroups);
        if (random.nextBoolean()) {
            Arrays.setAll(load.records(), keyGroup -> random.nextInt(1000));
            Arrays.setAll(load.entries(), keyGroup -> random.nextInt(300_000));
            Arrays.setAll(load.bytes(), keyGroup -> random.nextInt(6 << 20));
        }
        return load;
    }

    private static Surroundings around(Random random, List<Integer> active) {
        Map<Integer, String> hosts = new HashMap<>();
        Map<String, Others> others = new HashMap<>();
        for (int subtask : active) {
            String host = "tm-" + random.nextInt(4);
            hosts.put(subtask, host);
            others.put(host, Others.values()[random.nextInt(3)]);
        }
        return new Surroundings(hosts, others, Set.of(random.nextInt(20)));
    }

    @Test
    void scaleOutTakesTheLowestDormantIndicesAndWhatIsToBeAvoidedLast() {
        assertThat(owners(List.of(0, 2), 4, Surroundings.unknown())).containsExactly(0, 1, 2, 3);
        Surroundings drained = new Surroundings(Map.of(), Map.of(), Set.of(1));
        assertThat(owners(List.of(0, 2), 4, drained)).containsExactly(0, 2, 3, 4);
        assertThat(owners(List.of(0, 2), 8, drained)).contains(1);
    }

    @Test
    void scaleInTakesTheHighestIndicesWhereNothingElseIsKnown() {
        assertThat(owners(List.of(0, 1, 2, 3), 2, Surroundings.unknown())).containsExactly(0, 1);
    }

    @Test
    void scaleInMakesAWholeTaskManagerFree() {
        Map<Integer, String> hosts = Map.of(0, "a", 1, "b", 2, "a", 3, "b");
        Surroundings around = new Surroundings(hosts, Map.of("b", Others.FIXED), Set.of());
        assertThat(owners(List.of(0, 1, 2, 3), 2, around)).containsExactly(1, 3);
        assertThat(owners(List.of(0, 1, 2, 3), 3, around)).containsExactly(0, 1, 3);
    }

    @Test
    void aTaskManagerWithNothingElseIsFreedBeforeOneThatOtherRescalesCouldFree() {
        Surroundings around =
                new Surroundings(Map.of(0, "a", 1, "b"), Map.of("b", Others.ELASTIC), Set.of());
        assertThat(owners(List.of(0, 1), 1, around)).containsExactly(1);
    }

    private static SortedSet<Integer> owners(
            Collection<Integer> active, int parallelism, Surroundings around) {
        List<Integer> subtasks = List.copyOf(active);
        int[] present =
                IntStream.range(0, 16).map(g -> subtasks.get(g % subtasks.size())).toArray();
        return Planner.evenly(
                        present,
                        active,
                        parallelism,
                        8,
                        around,
                        KeyGroupLoad.unknown(present.length),
                        Units.BOUNDED)
                .owners();
    }

    @Test
    void rangesStayRanges() {
        int[] present = {0, 0, 0, 0, 1, 1, 1, 1};
        assertThat(plan(present, 4).placement()).containsExactly(0, 0, 2, 2, 1, 1, 3, 3);
    }

    @Test
    void newOwnersAreFilledSideBySide() {
        int[] present = new int[256];
        List<Integer> order = plan(present, 4).moves().stream().map(Move::to).toList();
        assertThat(order.subList(0, 6)).containsOnly(1, 2, 3);
        assertThat(new TreeSet<>(order.subList(6, 9))).containsExactly(1, 2, 3);
    }

    @Test
    void subscalesOfARequestAreDividedFurtherInTheirOrderWhereTheyAreTooLarge() {
        int[] present = new int[6];
        int[] target = {0, 1, 1, 1, 2, 0};
        Plan asked =
                new Plan(
                        target,
                        List.of(
                                new Move(0, 1, new int[] {3, 1, 2}),
                                new Move(0, 2, new int[] {4})));
        Plan divided = new BoundedUnits(2).of(asked, present, KeyGroupLoad.unknown(6));
        assertThat(divided.placement()).containsExactly(target);
        assertThat(divided.moves())
                .extracting(
                        Move::to,
                        move -> List.of(Arrays.stream(move.keyGroups()).boxed().toArray()))
                .containsExactly(
                        tuple(1, List.<Object>of(3, 1)),
                        tuple(1, List.<Object>of(2)),
                        tuple(2, List.<Object>of(4)));
    }

    @Test
    void whereVeryManyKeyGroupsMoveSubscalesAreLargerAndNotMore() {
        int[] present = new int[4_096];
        int[] target = new int[present.length];
        Arrays.setAll(target, keyGroup -> keyGroup % 4 == 0 ? 0 : 1);
        KeyGroupLoad load = new KeyGroupLoad(new long[4_096], new long[4_096], new long[4_096]);
        assertThat(new BoundedUnits(4).divide(present, target, load)).hasSize(512 + 2);
        assertThat(new BoundedUnits(9).divide(present, target, load)).hasSize(342 + 2);
    }

    @Test
    void theHottestGoFirstBehindTheCoolestThatWarmUpTheExchange() {
        int[] present = new int[16];
        KeyGroupLoad load = KeyGroupLoad.unknown(present.length);
        Arrays.setAll(load.records(), keyGroup -> 100 + keyGroup);
        Arrays.fill(load.bytes(), SubscaleDivision.MAX_BYTES);
        int[] target = IntStream.range(0, 16).map(keyGroup -> keyGroup / 8).toArray();
        List<Integer> order =
                Planner.towards(present, target, load, Units.BOUNDED).moves().stream()
                        .map(move -> move.keyGroups()[0])
                        .toList();
        assertThat(order).containsExactly(8, 9, 15, 14, 13, 12, 11, 10);
    }

    /** Two at a time would each take as long as both, while nothing has been compiled. */
    @Test
    void whatWarmsUpAnExchangeGoesOneByOne() {
        int[] present = new int[16];
        KeyGroupLoad load = KeyGroupLoad.unknown(present.length);
        Arrays.setAll(load.records(), keyGroup -> 100 + keyGroup);
        Arrays.fill(load.bytes(), SubscaleDivision.MAX_BYTES / 2);
        int[] target = IntStream.range(0, 16).map(keyGroup -> keyGroup / 8).toArray();
        assertThat(Planner.towards(present, target, load, Units.BOUNDED).moves())
                .extracting(move -> IntStream.of(move.keyGroups()).boxed().toList())
                .containsExactly(
                        List.of(8), List.of(9), List.of(15, 14), List.of(13, 12), List.of(11, 10));
    }

    @Test
    void theGreatestJobThatFlinkAllowsIsPlannedAtOnce() {
        Plan plan =
                Planner.evenly(
                        IntStream.range(0, 32_768).map(g -> g % 500).toArray(),
                        IntStream.range(0, 500).boxed().toList(),
                        1000,
                        2000,
                        Surroundings.unknown(),
                        KeyGroupLoad.unknown(32_768),
                        Units.BOUNDED);
        assertThat(plan.owners()).hasSize(1000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 9})
    void aParallelismThatCannotBePlannedForIsAnError(int parallelism) {
        assertThatThrownBy(() -> plan(new int[16], parallelism))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(parallelism));
    }

    @ParameterizedTest
    @CsvSource({"2, 4", "4, 2", "1, 8", "8, 1", "3, 5"})
    void goingThereAndBackMovesNoMoreThanGoingThere(int from, int to) {
        int[] start = plan(new int[64], from).placement();
        int[] there = plan(start, to).placement();
        int[] back = plan(there, from).placement();
        assertThat(differences(there, back)).isEqualTo(differences(start, there));
    }

    private static long differences(int[] one, int[] other) {
        return IntStream.range(0, one.length).filter(g -> one[g] != other[g]).count();
    }

    private static Plan plan(int[] present, int parallelism) {
        List<Integer> active = IntStream.of(present).distinct().sorted().boxed().toList();
        return Planner.evenly(
                present,
                active,
                parallelism,
                8,
                Surroundings.unknown(),
                KeyGroupLoad.unknown(present.length),
                Units.BOUNDED);
    }
}
