package dev.drrs.protocol;

import java.util.List;

/** Where key groups are, and where they go. Immutable, any thread. */
record OwnerPair(int oldOwner, int newOwner) {

    static OwnerPair of(Subscale subscale) {
        return new OwnerPair(subscale.oldOwner(), subscale.newOwner());
    }

    Plan.Move move(List<Integer> keyGroups) {
        return new Plan.Move(
                oldOwner, newOwner, keyGroups.stream().mapToInt(Integer::intValue).toArray());
    }
}
