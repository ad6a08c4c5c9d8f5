package dev.drrs.protocol;

import dev.drrs.protocol.Plan.Move;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Subscales small enough that a checkpoint need not wait long for one, and of no more than a set
 * number of key groups, those of a request's plan too. No state, any thread.
 *
 * @param keyGroups of a subscale, at least 1
 */
record BoundedUnits(int keyGroups) implements Units {

    BoundedUnits {
        if (keyGroups < 1) {
            throw new IllegalArgumentException("a subscale of " + keyGroups + " key groups");
        }
    }

    @Override
    public List<Move> divide(int[] present, int[] target, KeyGroupLoad load) {
        return SubscaleDivision.divide(present, target, load, keyGroups);
    }

    @Override
    public Plan of(Plan plan, int[] present, KeyGroupLoad load) {
        return new Plan(plan.placement(), parted(plan));
    }

    private List<Move> parted(Plan plan) {
        List<Move> parts = new ArrayList<>();
        for (Move move : plan.moves()) {
            for (int from = 0; from < move.keyGroups().length; from += keyGroups) {
                int to = Math.min(move.keyGroups().length, from + keyGroups);
                parts.add(
                        new Move(
                                move.from(),
                                move.to(),
                                Arrays.copyOfRange(move.keyGroups(), from, to)));
            }
        }
        return parts;
    }
}
