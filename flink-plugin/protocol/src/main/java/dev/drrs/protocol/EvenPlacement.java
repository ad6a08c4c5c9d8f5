package dev.drrs.protocol;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The placement that evens out the number of key groups with the fewest moves, {@link
 * Balance#fewestMoves}.
 */
final class EvenPlacement {

    private EvenPlacement() {}

    /**
     * All owners get the same number, or one more: those that have most now. Few pairs of an old
     * and a new owner come up, as each is an exchange; the highest key groups of an owner leave.
     *
     * @param present key group to subtask
     * @param owners those that own key groups afterwards, at most as many as there are key groups
     */
    static int[] of(int[] present, Collection<Integer> owners) {
        Map<Integer, Deque<Integer>> leaving = new TreeMap<>();
        for (int keyGroup = 0; keyGroup < present.length; keyGroup++) {
            leaving.computeIfAbsent(present[keyGroup], owner -> new ArrayDeque<>()).push(keyGroup);
        }
        Map<Integer, Integer> room = new TreeMap<>();
        quotas(leaving, present.length, owners)
                .forEach(
                        (owner, quota) -> {
                            Deque<Integer> owned = leaving.getOrDefault(owner, new ArrayDeque<>());
                            for (int i = 0; i < quota && !owned.isEmpty(); i++) {
                                owned.removeLast();
                                room.merge(owner, -1, Integer::sum);
                            }
                            room.merge(owner, quota, Integer::sum);
                        });
        leaving.values().removeIf(Deque::isEmpty);
        room.values().removeIf(open -> open == 0);
        int[] placement = present.clone();
        while (!leaving.isEmpty()) {
            int from = greatest(sizes(leaving), new HashSet<>(room.values()));
            Deque<Integer> keyGroups = leaving.get(from);
            int to = greatest(room, Set.of(keyGroups.size()));
            int amount = Math.min(keyGroups.size(), room.get(to));
            for (int i = 0; i < amount; i++) {
                placement[keyGroups.pop()] = to;
            }
            leaving.values().removeIf(Deque::isEmpty);
            room.computeIfPresent(to, (owner, open) -> open == amount ? null : open - amount);
        }
        return placement;
    }

    private static Map<Integer, Integer> quotas(
            Map<Integer, Deque<Integer>> owned, int keyGroups, Collection<Integer> owners) {
        Map<Integer, Integer> quotas = new TreeMap<>();
        Map<Integer, Integer> sizes = sizes(owned);
        owners.stream()
                .sorted(
                        Comparator.comparing((Integer owner) -> -sizes.getOrDefault(owner, 0))
                                .thenComparing(Comparator.naturalOrder()))
                .forEach(
                        owner ->
                                quotas.put(
                                        owner,
                                        keyGroups / owners.size()
                                                + (quotas.size() < keyGroups % owners.size()
                                                        ? 1
                                                        : 0)));
        return quotas;
    }

    private static Map<Integer, Integer> sizes(Map<Integer, Deque<Integer>> keyGroups) {
        Map<Integer, Integer> sizes = new TreeMap<>();
        keyGroups.forEach((owner, some) -> sizes.put(owner, some.size()));
        return sizes;
    }

    /** One that fits exactly, else the greatest; of equal ones the lowest index. */
    private static int greatest(Map<Integer, Integer> amounts, Set<Integer> fitting) {
        return amounts.entrySet().stream()
                .max(
                        Comparator.comparing(
                                        (Map.Entry<Integer, Integer> of) ->
                                                fitting.contains(of.getValue()))
                                .thenComparing(Map.Entry::getValue)
                                .thenComparing(of -> -of.getKey()))
                .orElseThrow()
                .getKey();
    }
}
