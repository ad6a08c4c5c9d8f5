package dev.drrs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random schedules of the whole protocol. {@code -Ddrrs.simulation.schedules=N} sets how many,
 * {@code -Ddrrs.simulation.seed=S} the first seed; a failure is replayed with its seed and one
 * schedule.
 */
class SimulationTest {

    private static final int ENOUGH = 5_000;

    /** For those that have most of it in common with {@code drrs}. */
    private static final int ENOUGH_OF_OTHERS = 2_000;

    /** A schedule that never gets there proves nothing. */
    private static final String[] SITUATIONS = {
        "aborted",
        "align",
        "all inputs end in a rescale",
        "cancelled",
        "checkpoint",
        "channel of an ended predecessor adopted",
        "checkpoint in a rescale",
        "completed",
        "crash",
        "crash in a rescale",
        "end of a predecessor",
        "end of a predecessor in a rescale",
        "fresh subtask without a subscale",
        "hold for exchange or set-aside",
        "hold for set-aside",
        "hold of the main clock passed on",
        "join later than settled",
        "let go in pieces",
        "let go in pieces after an abort",
        "move back",
        "nobody to align",
        "overlapping checkpoints",
        "registered when another was done",
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

    private static final Set<String> OF_COPIES =
            Set.of(
                    "changed since the copy",
                    "copied ahead",
                    "installed before it settled",
                    "copy dropped",
                    "copy stopped",
                    "nothing changed since the copy",
                    "removed since the copy");

    private static final Set<String> OF_LARGE =
            Set.of(
                    "a bin that is needed goes before others",
                    "copied ahead as a whole",
                    "large key group",
                    "processed before all of its key group was there");

    private static final Set<String> OF_DIRECT_SIGNALS =
            Set.of(
                    "a record waits behind what is let go",
                    "event time waits behind what is let go",
                    "exchange blocked by a missing key group",
                    "re-routed");

    private static final String OF_BATCHES = "re-routed by time-out";

    private static final Set<String> OF_SEVERAL =
            Set.of("drop waits", "started beside another when warm");

    private static final Set<String> OF_MECES =
            Set.of(
                    "fetched on demand",
                    "processed before all of its key group was there",
                    "step with several subscales");

    private static final Set<String> OF_ACCESS =
            Set.of("fetched on demand", "processed before all of its key group was there");

    /** Without background. */
    private static final Set<String> OF_LAZY =
            Set.of("fetched for a record", "fetched for a timer", "the rest is fetched");

    private static final Set<String> OF_STORAGE =
            Set.of(
                    "a damaged file",
                    "files that were left are removed",
                    "several files to be read");

    private static final String OF_BARRIERS = "barrier waits for another channel";

    /** Those that the strategy can come into with one or another of its options. */
    private static Set<String> situations(Strategy strategy) {
        Policies policies = strategy.policies(Map.of());
        Set<String> options = strategy.optionNames();
        Set<String> situations = new TreeSet<>(List.of(SITUATIONS));
        if (policies.copyAhead().isWanted() || options.contains(DrrsStrategy.COPY_AHEAD)) {
            situations.addAll(OF_COPIES);
        }
        if (options.contains(DrrsStrategy.BINS_SIZE)) {
            situations.addAll(OF_LARGE);
        }
        if (options.contains(DrrsStrategy.WARM_UP)) {
            situations.addAll(OF_SEVERAL);
        }
        if (policies.signals() instanceof DirectSignals) {
            situations.addAll(OF_DIRECT_SIGNALS);
        }
        if (policies.signals().batch().isWanted()) {
            situations.add(OF_BATCHES);
        }
        if (policies.pullOrder() instanceof FetchOnDemand) {
            situations.addAll(OF_MECES);
        }
        if (policies.pullOrder() instanceof OnFirstAccess) {
            situations.addAll(OF_ACCESS);
        }
        if (options.contains(LazyStrategy.BACKGROUND)) {
            situations.addAll(OF_LAZY);
        }
        if (policies.stores()) {
            situations.addAll(OF_STORAGE);
        }
        if (policies.signals() instanceof AlignedSignals
                || options.contains(DrrsStrategy.DECOUPLING)) {
            situations.add(OF_BARRIERS);
        }
        return situations;
    }

    static List<String> strategies() {
        return SimStrategies.names();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void invariantsHoldInEverySchedule(String name) {
        Strategy strategy = SimStrategies.byName(name);
        int enough = name.equals(DrrsStrategy.NAME) ? ENOUGH : ENOUGH_OF_OTHERS;
        int schedules = Integer.getInteger("drrs.simulation.schedules", enough);
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
        if (schedules >= enough) {
            assertThat(seen.keySet()).containsAll(situations(strategy));
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
