package dev.drrs.protocol;

import java.util.Arrays;

/** Balance of a placement by number of key groups. */
public final class Balance {

    private Balance() {}

    /**
     * Fewest key groups that have to move until no two of {@code parallelism} subtasks differ by more than one. The
     * subtasks that have most now keep the larger share; one outside 0 to parallelism - 1 gives all away.
     *
     * @param placement key group to subtask
     */
    public static int fewestMoves(int[] placement, int parallelism) {
        int[] owned = new int[parallelism];
        for (int owner : placement) {
            if (owner < parallelism) {
                owned[owner]++;
            }
        }
        Arrays.sort(owned);
        int share = placement.length / parallelism;
        int larger = placement.length % parallelism;
        int kept = 0;
        for (int i = parallelism - 1; i >= 0; i--) {
            int wanted = parallelism - 1 - i < larger ? share + 1 : share;
            kept += Math.min(owned[i], wanted);
        }
        return placement.length - kept;
    }
}
