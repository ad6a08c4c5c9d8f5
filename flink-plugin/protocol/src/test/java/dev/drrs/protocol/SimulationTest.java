package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random schedules of the whole protocol. {@code -Ddrrs.simulation.schedules=N} sets how many,
 * {@code -Ddrrs.simulation.seed=S} the first seed; a failure is replayed with its seed and one
 * schedule.
 */
class SimulationTest {

    private static final int ENOUGH = 5_000;

    /** A schedule that never gets there proves nothing. */
    private static final String[] SITUATIONS = {
        "aborted",
        "align",
        "all inputs end in a rescale",
        "cancelled",
        "checkpoint",
        "channel of an ended predecessor adopted",
        "checkpoint in a rescale",
        "changed since the copy",
        "completed",
        "copied ahead",
        "copy dropped",
        "copy stopped",
        "crash",
        "crash in a rescale",
        "end of a predecessor",
        "end of a predecessor in a rescale",
        "exchange blocked by a missing key group",
        "fresh subtask without a subscale",
        "installed before it settled",
        "hold for exchange or set-aside",
        "hold for set-aside",
        "hold of the main clock passed on",
        "join later than settled",
        "move back",
        "nobody to align",
        "nothing changed since the copy",
        "overlapping checkpoints",
        "re-routed",
        "registered when another was done",
        "removed since the copy",
        "results wait for those of the old owner",
        "resume",
        "retired",
        "retired without consumers",
        "set aside",
        "start after confirm",
        "two inputs",
        "unaligned checkpoints",
        "!crash!none",
        "!crash!activating",
        "!crash!between",
        "!crash!moving",
        "!crash!aborting",
        "!crash!retiring",
        "!abort!between",
        "!abort!moving"
    };

    static List<String> strategies() {
        return SimStrategies.names();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void invariantsHoldInEverySchedule(String name) {
        Strategy strategy = SimStrategies.byName(name);
        int schedules = Integer.getInteger("drrs.simulation.schedules", 10_000);
        long seed = Long.getLong("drrs.simulation.seed", 1);
        Map<String, Integer> seen = new TreeMap<>();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        Schedules.Failure failure = Schedules.explore(strategy, schedules, seed, null, seen);
        if (failure != null) {
            fail(Schedules.replay(strategy, failure.seed(), null), failure.cause());
        }
        System.out.println(
                name
                        + " from seed "
                        + seed
                        + " in "
                        + (threads.getCurrentThreadCpuTime() - begin) / 1_000_000
                        + " ms of CPU, schedules with");
        seen.forEach(
                (situation, times) -> {
                    if (!situation.startsWith(Simulation.FAULT)) {
                        System.out.printf("%9d  %s%n", times, situation);
                    }
                });
        printFaults(seen);
        if (schedules >= ENOUGH) {
            assertThat(seen).containsKeys(SITUATIONS);
        }
        System.out.println("simulate: " + name + ", " + schedules + " schedules, 0 violations");
    }

    /**
     * In how many schedules a fault came in which phase of a rescale. A record that is lost or
     * counted twice, and what is left over, is a violation, which ends the run.
     */
    private static void printFaults(Map<String, Integer> seen) {
        System.out.printf("%9s", "fault");
        Simulation.PHASES.forEach(phase -> System.out.printf("%12s", phase));
        System.out.println();
        for (String fault : new String[] {"crash", "abort"}) {
            System.out.printf("%9s", fault);
            for (String phase : Simulation.PHASES) {
                String key = Simulation.FAULT + fault + Simulation.FAULT + phase;
                System.out.printf("%12d", seen.getOrDefault(key, 0));
            }
            System.out.println();
        }
    }
}
