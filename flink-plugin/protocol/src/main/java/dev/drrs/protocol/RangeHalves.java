package dev.drrs.protocol;

import dev.drrs.protocol.Plan.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * As the planner that comes with the public DRRS code has it: key groups belong to ranges, as after
 * a restart, however many have to move for that; the key groups of two owners go in subscales of
 * half of what two owners exchange in the mean, in the order of the key groups. No state, any
 * thread.
 *
 * @param least key groups of a subscale, where a pair has as many
 */
record RangeHalves(int least) implements Units {

    RangeHalves {
        if (least < 1) {
            throw new IllegalArgumentException("subscales of " + least + " key groups");
        }
    }

    /** Flink's formula, over the owners in ascending order. */
    @Override
    public int[] placement(int[] present, SortedSet<Integer> owners, KeyGroupLoad load) {
        List<Integer> ordered = List.copyOf(owners);
        int[] placement = new int[present.length];
        for (int keyGroup = 0; keyGroup < placement.length; keyGroup++) {
            placement[keyGroup] = ordered.get(keyGroup * ordered.size() / placement.length);
        }
        return placement;
    }

    @Override
    public List<Move> divide(int[] present, int[] target, KeyGroupLoad load) {
        Map<OwnerPair, List<Integer>> pairs = OwnerPair.exchanges(present, target);
        int moving = pairs.values().stream().mapToInt(List::size).sum();
        int size = Math.max(least, moving / Math.max(1, pairs.size()) / 2);
        List<Move> moves = new ArrayList<>();
        pairs.forEach((pair, keyGroups) -> addParts(moves, pair, keyGroups, size));
        return moves;
    }

    /** As many as fit in whole; what is left is dealt out among them. */
    private static void addParts(
            List<Move> moves, OwnerPair pair, List<Integer> keyGroups, int size) {
        int parts = Math.max(1, keyGroups.size() / size);
        int from = 0;
        for (int part = 0; part < parts; part++) {
            int to = from + (keyGroups.size() - from) / (parts - part);
            moves.add(pair.move(keyGroups.subList(from, to)));
            from = to;
        }
    }
}
