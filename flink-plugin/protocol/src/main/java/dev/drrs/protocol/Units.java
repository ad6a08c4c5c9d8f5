package dev.drrs.protocol;

import java.util.List;
import java.util.SortedSet;

/**
 * Where key groups go, and in which units they move: the moves of a plan, each of which becomes a
 * subscale.
 */
public interface Units {

    /** Subscales small enough that a checkpoint need not wait long for one. */
    Units BOUNDED = new BoundedUnits(SubscaleDivision.MAX_KEY_GROUPS);

    /** One subscale for each pair of owners. */
    Units PAIRS = new Batches(Integer.MAX_VALUE);

    /**
     * Which owner each key group has after the rescale, where a request leaves that open. The
     * fewest moves that even out their number, of key groups that are cheap to move.
     *
     * @param present key group to subtask
     * @param owners those that own key groups afterwards, at most as many as there are key groups
     */
    default int[] placement(int[] present, SortedSet<Integer> owners, KeyGroupLoad load) {
        return CheaperMoves.of(present, EvenPlacement.of(present, owners), load);
    }

    /**
     * @param present key group to subtask
     * @param target key group to subtask, after the rescale
     * @return in the order in which they are to start; each key group that moves in exactly one
     */
    List<Plan.Move> divide(int[] present, int[] target, KeyGroupLoad load);

    /**
     * A valid plan that a request brings, in these units: a planner outside knows of placements,
     * not of strategies.
     */
    default Plan of(Plan plan, int[] present, KeyGroupLoad load) {
        return Planner.towards(present, plan.placement(), load, this);
    }
}
