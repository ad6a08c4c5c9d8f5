package dev.drrs.protocol;

import java.util.Collection;
import java.util.SortedSet;

/** Makes plans where a request brings none. */
public final class Planner {

    private Planner() {}

    /**
     * To a placement in which no two active subtasks differ by more than one key group; if the
     * units do not say otherwise by the fewest moves, of key groups that are cheap to move where
     * that leaves the load as even.
     *
     * @param present key group to subtask
     * @param active the subtasks that are active now; not all need own something
     * @param parallelism from 1 to the ceiling and to the number of key groups
     * @param ceiling subtasks are 0 to ceiling - 1
     * @param units of the strategy that carries the plan out
     */
    public static Plan evenly(
            int[] present,
            Collection<Integer> active,
            int parallelism,
            int ceiling,
            Surroundings around,
            KeyGroupLoad load,
            Units units) {
        if (parallelism < 1 || parallelism > Math.min(ceiling, present.length)) {
            throw new IllegalArgumentException(
                    "parallelism "
                            + parallelism
                            + " with "
                            + present.length
                            + " key groups and ceiling "
                            + ceiling);
        }
        SortedSet<Integer> owners =
                OwnerChoice.choose(present, active, parallelism, ceiling, around);
        return towards(present, units.placement(present, owners, load), load, units);
    }

    /** The way to a placement that is given. */
    public static Plan towards(int[] present, int[] target, KeyGroupLoad load, Units units) {
        return new Plan(target, units.divide(present, target, load));
    }
}
