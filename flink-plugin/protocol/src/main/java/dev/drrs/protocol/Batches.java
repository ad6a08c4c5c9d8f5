package dev.drrs.protocol;

import dev.drrs.protocol.Plan.Move;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A set number of key groups of the same two owners each, in the order of the key groups, whatever
 * their load and size. No state, any thread.
 *
 * @param keyGroups of a batch, at least 1
 */
record Batches(int keyGroups) implements Units {

    Batches {
        if (keyGroups < 1) {
            throw new IllegalArgumentException("a batch of " + keyGroups + " key groups");
        }
    }

    @Override
    public List<Move> divide(int[] present, int[] target, KeyGroupLoad load) {
        List<Move> moves = new ArrayList<>();
        Map<OwnerPair, List<Integer>> begun = new LinkedHashMap<>();
        for (int keyGroup = 0; keyGroup < present.length; keyGroup++) {
            if (present[keyGroup] == target[keyGroup]) {
                continue;
            }
            OwnerPair pair = new OwnerPair(present[keyGroup], target[keyGroup]);
            List<Integer> batch = begun.computeIfAbsent(pair, p -> new ArrayList<>());
            batch.add(keyGroup);
            if (batch.size() == keyGroups) {
                moves.add(pair.move(begun.remove(pair)));
            }
        }
        begun.forEach((pair, rest) -> moves.add(pair.move(rest)));
        return moves;
    }
}
