package dev.drrs.protocol;

/** Runs schedules until one fails. */
final class Schedules {

    /** A schedule that failed, and what led to it. */
    record Failure(int schedules, long seed, RuntimeException cause) {}

    private Schedules() {}

    static Failure explore(int schedules, long seed, Mutation mutation) {
        for (int k = 0; k < schedules; k++) {
            RuntimeException failure = failureOf(new Simulation(seed + k, mutation, false));
            if (failure != null) {
                return new Failure(k, seed + k, failure);
            }
        }
        return null;
    }

    /** The last steps of a schedule, to be read from the end. */
    static String replay(long seed, Mutation mutation) {
        Simulation simulation = new Simulation(seed, mutation, true);
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
