package dev.drrs.protocol;

import java.util.Map;
import java.util.TreeMap;

/** Runs schedules until one fails. */
final class Schedules {

    /** A schedule that failed, and what led to it. */
    record Failure(int schedules, long seed, RuntimeException cause) {}

    private Schedules() {}

    static Failure explore(Strategy strategy, int schedules, long seed, Mutation mutation) {
        return explore(strategy, schedules, seed, mutation, new TreeMap<>());
    }

    /**
     * @param seen gets in how many schedules each situation came up
     */
    static Failure explore(
            Strategy strategy,
            int schedules,
            long seed,
            Mutation mutation,
            Map<String, Integer> seen) {
        for (int k = 0; k < schedules; k++) {
            Simulation simulation = new Simulation(strategy, seed + k, mutation, false);
            RuntimeException failure = failureOf(simulation);
            simulation.seen().forEach(situation -> seen.merge(situation, 1, Integer::sum));
            if (failure != null) {
                return new Failure(k, seed + k, failure);
            }
        }
        return null;
    }

    /** The last steps of a schedule, to be read from the end. */
    static String replay(Strategy strategy, long seed, Mutation mutation) {
        Simulation simulation = new Simulation(strategy, seed, mutation, true);
        RuntimeException failure = failureOf(simulation);
        return "seed " + seed + ": " + failure + "\n  " + String.join("\n  ", simulation.trace());
    }

    private static RuntimeException failureOf(Simulation simulation) {
        try {
            simulation.run();
            return null;
        } catch (Violation | IllegalStateException | NullPointerException e) {
            return e; // the latter two: a message to something that is not there
        }
    }
}
