package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Of placements that are as even and move as many key groups, one whose moves disturb less. What a
 * move costs is taken to be load times size: a key group pauses while its state travels, and its
 * load is what waits meanwhile.
 */
final class CheaperMoves {

    /** How many of the cheapest that stay are tried for each that moves: enough, and linear. */
    private static final int LOOKED_AT = 32;

    /** The part of its load by which the busiest one may get busier, as a divisor. */
    private static final int SLACK = 50;

    private final int[] present;
    private final int[] target;
    private final KeyGroupLoad load;
    private final Map<Integer, Long> totals = new HashMap<>();
    private final Comparator<Integer> byCost;

    private CheaperMoves(int[] present, int[] target, KeyGroupLoad load) {
        this.present = present;
        this.target = target;
        this.load = load;
        byCost =
                Comparator.comparing(this::cost)
                        .thenComparing(keyGroup -> load.bytes()[keyGroup])
                        .thenComparing(keyGroup -> load.records()[keyGroup]);
    }

    /**
     * The placement with key groups that move exchanged for cheaper ones of the same old owner that
     * would have stayed. Each subtask gets and gives as many as before, and none has more load than
     * the busiest one had, within 2 %.
     *
     * @param present key group to subtask
     * @param target key group to subtask, after the rescale
     */
    static int[] of(int[] present, int[] target, KeyGroupLoad load) {
        CheaperMoves moves = new CheaperMoves(present, target.clone(), load);
        moves.exchange();
        return moves.target;
    }

    private void exchange() {
        for (int keyGroup = 0; keyGroup < target.length; keyGroup++) {
            totals.merge(target[keyGroup], load.records()[keyGroup], Long::sum);
        }
        long most = totals.values().stream().mapToLong(Long::longValue).max().orElse(0);
        long limit = most + most / SLACK;
        List<Integer> moving = new ArrayList<>();
        Map<Integer, List<Integer>> staying = new HashMap<>();
        for (int keyGroup = 0; keyGroup < target.length; keyGroup++) {
            if (present[keyGroup] != target[keyGroup]) {
                moving.add(keyGroup);
            } else {
                staying.computeIfAbsent(present[keyGroup], owner -> new ArrayList<>())
                        .add(keyGroup);
            }
        }
        staying.values()
                .forEach(some -> some.sort(byCost.thenComparing(Comparator.reverseOrder())));
        moving.sort(byCost.reversed());
        for (int keyGroup : moving) {
            exchange(keyGroup, staying.getOrDefault(present[keyGroup], List.of()), limit);
        }
    }

    /** With the cheapest that fits, if there is one. */
    private void exchange(int keyGroup, List<Integer> staying, long limit) {
        int home = present[keyGroup];
        int away = target[keyGroup];
        for (int i = 0; i < Math.min(LOOKED_AT, staying.size()); i++) {
            int other = staying.get(i);
            if (byCost.compare(other, keyGroup) >= 0) {
                return;
            }
            long more = load.records()[keyGroup] - load.records()[other];
            if (totals.get(home) + more <= limit && totals.get(away) - more <= limit) {
                target[keyGroup] = home;
                target[other] = away;
                totals.merge(home, more, Long::sum);
                totals.merge(away, -more, Long::sum);
                staying.remove(i);
                return;
            }
        }
    }

    private double cost(int keyGroup) {
        return (double) load.records()[keyGroup] * Math.max(load.bytes()[keyGroup], 1);
    }
}
