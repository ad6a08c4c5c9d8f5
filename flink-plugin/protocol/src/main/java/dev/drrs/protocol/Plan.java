package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntSupplier;

/**
 * What a rescale is to reach and by which moves, as it comes from a planner: not checked, see
 * {@link PlanValidator}.
 *
 * @param placement key group to subtask, an entry for each key group
 * @param moves in the order in which they are to start
 */
public record Plan(int[] placement, List<Move> moves) {

    public Plan {
        placement = placement.clone();
        moves = List.copyOf(moves);
    }

    /**
     * @param from subtask index
     * @param to subtask index
     * @param keyGroups hottest first
     */
    public record Move(int from, int to, int[] keyGroups) {}

    /** The subtasks that own key groups once the plan is carried out, in ascending order. */
    public SortedSet<Integer> owners() {
        SortedSet<Integer> owners = new TreeSet<>();
        for (int owner : placement) {
            owners.add(owner);
        }
        return owners;
    }

    /** The moves as subscales; only of a valid plan. */
    public List<Subscale> subscales(IntSupplier nextId) {
        List<Subscale> out = new ArrayList<>(moves.size());
        for (Move move : moves) {
            out.add(
                    new Subscale(
                            nextId.getAsInt(), move.from(), move.to(), move.keyGroups().clone()));
        }
        return out;
    }
}
