package dev.drrs.protocol;

import dev.drrs.protocol.Plan.Move;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Subscales small enough that a checkpoint need not wait long for one, and of no more than a set
 * number of key groups, those of a request's plan too: a key group waits for those that go with it.
 * What a subscale costs in messages goes by the number of predecessors, so where very many key
 * groups move there are more in each, for about {@link #MOST} of them. No state, any thread.
 *
 * @param keyGroups of a subscale, at least 1, where few move
 */
record BoundedUnits(int keyGroups) implements Units {

    /** From so many subscales on they are larger, not more. */
    static final int MOST = 512;

    BoundedUnits {
        if (keyGroups < 1) {
            throw new IllegalArgumentException("a subscale of " + keyGroups + " key groups");
        }
    }

    @Override
    public List<Move> divide(int[] present, int[] target, KeyGroupLoad load) {
        return SubscaleDivision.divide(present, target, load, bound(present, target));
    }

    @Override
    public Plan of(Plan plan, int[] present, KeyGroupLoad load) {
        return new Plan(plan.placement(), parted(plan, bound(present, plan.placement())));
    }

    private int bound(int[] present, int[] target) {
        int moving =
                OwnerPair.exchanges(present, target).values().stream().mapToInt(List::size).sum();
        return Math.max(keyGroups, (moving + MOST - 1) / MOST);
    }

    private static List<Move> parted(Plan plan, int most) {
        List<Move> parts = new ArrayList<>();
        for (Move move : plan.moves()) {
            if (move.keyGroups().length <= most) {
                parts.add(move); // whoever planned has chosen its size
                continue;
            }
            for (int from = 0; from < move.keyGroups().length; from += most) {
                int to = Math.min(move.keyGroups().length, from + most);
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
