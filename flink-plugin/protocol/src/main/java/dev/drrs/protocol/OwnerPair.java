package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Where key groups are, and where they go; ordered by old owner. Immutable, any thread. */
record OwnerPair(int oldOwner, int newOwner) implements Comparable<OwnerPair> {

    private static final Comparator<OwnerPair> ORDER =
            Comparator.comparing(OwnerPair::oldOwner).thenComparing(OwnerPair::newOwner);

    static OwnerPair of(Subscale subscale) {
        return new OwnerPair(subscale.oldOwner(), subscale.newOwner());
    }

    /**
     * What owners exchange: the key groups that move, ascending, by the pair that they move
     * between.
     *
     * @param present key group to subtask
     * @param target key group to subtask, afterwards
     */
    static SortedMap<OwnerPair, List<Integer>> exchanges(int[] present, int[] target) {
        SortedMap<OwnerPair, List<Integer>> pairs = new TreeMap<>();
        for (int keyGroup = 0; keyGroup < present.length; keyGroup++) {
            if (present[keyGroup] != target[keyGroup]) {
                pairs.computeIfAbsent(
                                new OwnerPair(present[keyGroup], target[keyGroup]),
                                pair -> new ArrayList<>())
                        .add(keyGroup);
            }
        }
        return pairs;
    }

    @Override
    public int compareTo(OwnerPair other) {
        return ORDER.compare(this, other);
    }

    Plan.Move move(List<Integer> keyGroups) {
        return new Plan.Move(
                oldOwner, newOwner, keyGroups.stream().mapToInt(Integer::intValue).toArray());
    }
}
