package dev.drrs.protocol;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Balance of a placement by number of key groups. */
public final class Balance {

    private Balance() {}

    /**
     * Fewest key groups that have to move until they are on these subtasks, of which no two then
     * differ by more than one. The subtasks that have most now keep the larger shares.
     *
     * @param placement key group to subtask
     * @param owners the subtasks that own key groups afterwards
     */
    public static int fewestMoves(int[] placement, Set<Integer> owners) {
        List<Long> counts =
                owners.stream()
                        .map(owner -> IntStream.of(placement).filter(o -> o == owner).count())
                        .sorted(Comparator.reverseOrder())
                        .toList();
        int share = placement.length / owners.size();
        int larger = placement.length % owners.size();
        int kept = 0;
        for (int i = 0; i < counts.size(); i++) {
            kept += (int) Math.min(counts.get(i), i < larger ? share + 1 : share);
        }
        return placement.length - kept;
    }
}
