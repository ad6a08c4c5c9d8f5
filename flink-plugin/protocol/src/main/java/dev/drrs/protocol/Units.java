package dev.drrs.protocol;

import java.util.List;

/** In which units key groups move: the moves of a plan, each of which becomes a subscale. */
public interface Units {

    /** Subscales small enough that a checkpoint need not wait long for one. */
    Units BOUNDED = SubscaleDivision::divide;

    /**
     * @param present key group to subtask
     * @param target key group to subtask, after the rescale
     * @return in the order in which they are to start; each key group that moves in exactly one
     */
    List<Plan.Move> divide(int[] present, int[] target, KeyGroupLoad load);
}
