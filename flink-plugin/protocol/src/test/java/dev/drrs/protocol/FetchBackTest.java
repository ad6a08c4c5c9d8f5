package dev.drrs.protocol;

import static dev.drrs.protocol.FetchBackScenarios.oneKey;
import static dev.drrs.protocol.FetchBackScenarios.record;
import static dev.drrs.protocol.FetchBackScenarios.reroute;
import static dev.drrs.protocol.FetchBackScenarios.watermark;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.drrs.protocol.FetchBackSimulation.Lends;
import dev.drrs.protocol.FetchBackSimulation.Scenario;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What the section "Fetch back" of docs/design.md says. The schedules that are spelled out are
 * shortest ones, of a breadth-first search over all schedules of their scenario.
 */
class FetchBackTest {

    private static final int EXACT = 500;
    private static final int SOME = 300;

    @Test
    void fetchBackIsExactIfBothOwnersGoByOneClockAndSayNoMoreThanItHasReached() {
        Map<String, Integer> seen = new TreeMap<>();
        for (Lends lends : List.of(Lends.ONCE, Lends.EVER)) {
            for (boolean idle : new boolean[] {false, true}) {
                assertThat(explore(EXACT, lends, FetchBackBug.NONE, idle, false, seen)).isNull();
            }
        }
        assertThat(seen.keySet())
                .contains(
                        "lent",
                        "fetched back",
                        "waits for the clock",
                        "results wait for those of the other owner");
    }

    @Test
    void withoutIdleChannelsTheOldOwnerMayCountWhatItReadsItself() {
        FetchBackBug itself = FetchBackBug.OLD_OWNER_COUNTS_ITSELF;
        assertThat(explore(SOME, Lends.EVER, itself, false, false, new TreeMap<>())).isNull();
        assertThat(explore(SOME, Lends.EVER, itself, true, false, new TreeMap<>()))
                .startsWith("R3: the clock of key");
    }

    @Test
    void whateverIsLeftOutBreaks() {
        for (FetchBackBug bug : FetchBackBug.values()) {
            for (Lends lends : List.of(Lends.ONCE, Lends.EVER)) {
                if (bug != FetchBackBug.NONE) {
                    assertThat(explore(SOME, lends, bug, true, false, new TreeMap<>()))
                            .as("%s, %s", bug, lends)
                            .isNotNull();
                }
            }
        }
    }

    @Test
    void fetchBackBreaksR3IfTheOldOwnerGoesByItsOwnClock() {
        assertThat(
                        replay(
                                oneKey(
                                        FetchBackBug.OLD_OWNERS_CLOCK,
                                        List.of(reroute(0), record(0, 120), watermark(200)),
                                        List.of(watermark(200), record(0, 250), reroute(0))),
                                """
                                P0 sends reroute 0
                                P0 sends record of key 0 with timestamp 120
                                P0 sends watermark 200
                                P1 sends watermark 200
                                subtask 0 reads from P1 watermark 200
                                subtask 0 reads from P0 confirm 0
                                subtask 1 reads from P0 switch 0
                                subtask 1 hears from subtask 0 TIME 0 channel 1: watermark 200
                                subtask 1 hears from subtask 0 CONFIRM 0 channel 0
                                subtask 0 hears from subtask 1 CLOCK 0
                                P1 sends record of key 0 with timestamp 250
                                subtask 1 hears from subtask 0 REACHED 0
                                subtask 0 hears from subtask 1 ASK 0 key 0
                                subtask 1 hears from subtask 0 BIN 0 key 0 turn 0
                                subtask 1 reads from P0 record of key 0 with timestamp 120
                                subtask 1 reads from P0 watermark 200
                                subtask 1 hears from subtask 0 FETCH 0 key 0
                                subtask 0 hears from subtask 1 CLOCK 0
                                subtask 0 hears from subtask 1 BIN 0 key 0 turn 1
                                """))
                .isEqualTo("R3: the clock of key 0 goes back from 200 to " + Long.MIN_VALUE);
    }

    @Test
    void fetchBackBreaksR1IfTheOldOwnerSaysItsOwnEventTime() {
        assertThat(
                        replay(
                                oneKey(
                                        FetchBackBug.OLD_OWNER_UNBOUNDED,
                                        List.of(reroute(0), record(0, 120), watermark(200)),
                                        List.of(watermark(200), record(0, 150), reroute(0))),
                                """
                                P0 sends reroute 0
                                P0 sends record of key 0 with timestamp 120
                                P0 sends watermark 200
                                P1 sends watermark 200
                                subtask 0 reads from P1 watermark 200
                                subtask 0 reads from P0 confirm 0
                                subtask 0 reads from P0 watermark 200
                                subtask 1 reads from P0 switch 0
                                subtask 1 hears from subtask 0 TIME 0 channel 1: watermark 200
                                subtask 1 hears from subtask 0 CONFIRM 0 channel 0
                                subtask 0 hears from subtask 1 CLOCK 0
                                P1 sends record of key 0 with timestamp 150
                                subtask 1 hears from subtask 0 REACHED 0
                                subtask 0 hears from subtask 1 ASK 0 key 0
                                subtask 1 hears from subtask 0 BIN 0 key 0 turn 0
                                subtask 1 hears from subtask 0 FETCH 0 key 0
                                subtask 0 hears from subtask 1 BIN 0 key 0 turn 1
                                subtask 0 reads from P1 record of key 0 with timestamp 150
                                """))
                .isEqualTo("R1: record of key 0 with timestamp 150 behind watermark 200 of 0");
    }

    @Test
    void fetchBackBreaksR6IfResultsTakeTurnsOnlyOnce() {
        assertThat(
                        replay(
                                oneKey(
                                        FetchBackBug.ONE_TURN_OF_RESULTS,
                                        List.of(reroute(0), record(0, 120)),
                                        List.of(record(0, 150), reroute(0))),
                                """
                                P0 sends reroute 0
                                P0 sends record of key 0 with timestamp 120
                                P1 sends record of key 0 with timestamp 150
                                subtask 0 reads from P0 confirm 0
                                subtask 1 reads from P0 switch 0
                                subtask 1 hears from subtask 0 CONFIRM 0 channel 0
                                subtask 0 hears from subtask 1 CLOCK 0
                                subtask 1 hears from subtask 0 REACHED 0
                                subtask 0 hears from subtask 1 ASK 0 key 0
                                subtask 1 hears from subtask 0 BIN 0 key 0 turn 0
                                subtask 1 reads from P0 record of key 0 with timestamp 120
                                subtask 1 hears from subtask 0 FETCH 0 key 0
                                subtask 0 hears from subtask 1 BIN 0 key 0 turn 1
                                subtask 0 reads from P1 record of key 0 with timestamp 150
                                the consumer reads from subtask 0 results end 0
                                the chain of subtask 0 passes on what it has
                                the consumer reads from subtask 0 result 2 of key 0
                                """))
                .isEqualTo("R6: result 2 of key 0 is taken after number 0");
    }

    @Test
    void fetchBackThatWaitsForWhatTheOldOwnerHasSaidBreaksR1OrStandsStill() {
        FetchBackBug waits = FetchBackBug.WAITS_FOR_WHAT_IT_HAS_SAID;
        assertThat(explore(SOME, Lends.EVER, waits, false, false, new TreeMap<>()))
                .startsWith("R1: timer");
        assertThat(explore(SOME, Lends.EVER, waits, false, true, new TreeMap<>()))
                .startsWith("I4: deadlock");
    }

    @Test
    void fetchBackPaysWhereMessagesAreQuickAndCostsWhereTheyAreSlow() {
        assertThat(waited(Lends.EVER, 1)).isLessThan(waited(Lends.ALIGNED, 1));
        assertThat(waited(Lends.ONCE, 1)).isLessThan(waited(Lends.ALIGNED, 1));
        assertThat(waited(Lends.EVER, 16)).isGreaterThan(2 * waited(Lends.ALIGNED, 16));
        assertThat(waited(Lends.ONCE, 16)).isGreaterThan(2 * waited(Lends.ALIGNED, 16));
    }

    private static long waited(Lends lends, int latency) {
        FetchBackSimulation simulation =
                new FetchBackSimulation(FetchBackScenarios.scaleOut(lends, FetchBackBug.NONE, 24));
        simulation.run(latency);
        return simulation.waited();
    }

    /** What breaks first, or null. */
    private static String explore(
            int schedules,
            Lends lends,
            FetchBackBug bug,
            boolean idle,
            boolean far,
            Map<String, Integer> seen) {
        for (int seed = 0; seed < schedules; seed++) {
            Random random = new Random(seed);
            Scenario scenario = FetchBackScenarios.any(random, lends, bug, idle, far);
            FetchBackSimulation simulation = new FetchBackSimulation(scenario);
            try {
                simulation.run(random).forEach((what, n) -> seen.merge(what, n, Integer::sum));
            } catch (Violation broken) {
                return broken.getMessage();
            }
        }
        return null;
    }

    /** Takes the steps that the lines begin like; all but the last have to hold. */
    private static String replay(Scenario scenario, String schedule) {
        FetchBackSimulation simulation = new FetchBackSimulation(scenario);
        List<String> lines = schedule.lines().collect(Collectors.toList());
        String last = lines.remove(lines.size() - 1);
        lines.forEach(line -> simulation.act(find(simulation, line)));
        int[] action = find(simulation, last);
        return catchThrowable(() -> simulation.act(action)).getMessage();
    }

    private static int[] find(FetchBackSimulation simulation, String line) {
        List<int[]> found =
                simulation.actions().stream()
                        .filter(action -> simulation.says(action).startsWith(line))
                        .toList();
        assertThat(found).as(line).hasSize(1);
        return found.get(0);
    }
}
