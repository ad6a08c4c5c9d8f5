package dev.drrs.protocol;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Balance of a placement by number of key groups. */
public final class Balance {

    private Balance() {}

    /**
     * Fewest key groups that have to move until they are on {@code parallelism} subtasks of which
     * no two differ by more than one. The subtasks that have most now stay and keep the larger
     * shares.
     *
     * @param placement key group to subtask
     */
    public static int fewestMoves(int[] placement, int parallelism) {
        Map<Integer, Integer> owned = new HashMap<>();
        for (int owner : placement) {
            owned.merge(owner, 1, Integer::sum);
        }
        List<Integer> counts = owned.values().stream().sorted(Comparator.reverseOrder()).toList();
        int share = placement.length / parallelism;
        int larger = placement.length % parallelism;
        int kept = 0;
        for (int i = 0; i < Math.min(parallelism, counts.size()); i++) {
            kept += Math.min(counts.get(i), i < larger ? share + 1 : share);
        }
        return placement.length - kept;
    }
}
