package dev.drrs.protocol;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Which subtasks are active at another parallelism. */
final class OwnerChoice {

    private final Map<Integer, Long> owned;
    private final SortedSet<Integer> left;
    private final Surroundings around;

    /** What a subtask owns in the mean. */
    private final double share;

    private OwnerChoice(int[] present, Collection<Integer> active, Surroundings around) {
        this.owned =
                IntStream.of(present)
                        .boxed()
                        .collect(Collectors.groupingBy(owner -> owner, Collectors.counting()));
        this.left = new TreeSet<>(active);
        this.around = around;
        this.share = (double) present.length / active.size();
    }

    /**
     * Scale-out adds the lowest dormant indices, those to avoid last. Scale-in makes as many whole
     * TaskManagers free as it can, even if another choice would move fewer key groups: state moves
     * once, a machine is paid for all the time. Among as good TaskManagers those with the fewest
     * key groups go. What is left to retire does not free one: there few key groups come first,
     * then the TaskManager that is nearest to being free, then the highest index.
     *
     * @param parallelism from 1 to the ceiling
     * @param ceiling subtasks are 0 to ceiling - 1
     */
    static SortedSet<Integer> choose(
            int[] present,
            Collection<Integer> active,
            int parallelism,
            int ceiling,
            Surroundings around) {
        if (parallelism < active.size()) {
            OwnerChoice choice = new OwnerChoice(present, active, around);
            choice.retire(active.size() - parallelism);
            return choice.left;
        }
        SortedSet<Integer> chosen = new TreeSet<>(active);
        IntStream.range(0, ceiling)
                .boxed()
                .filter(subtask -> !active.contains(subtask))
                .sorted(Comparator.comparing(around.avoid()::contains)) // stable: lowest first
                .limit(parallelism - active.size())
                .forEach(chosen::add);
        return chosen;
    }

    private void retire(int count) {
        int open = count;
        for (Set<Integer> subtasks : byWorthOfBeingFree()) {
            if (subtasks.size() <= open) {
                left.removeAll(subtasks);
                open -= subtasks.size();
            }
        }
        for (; open > 0; open--) {
            left.remove(next());
        }
    }

    /** The subtasks of each TaskManager that could become free: smallest first frees the most. */
    private List<Set<Integer>> byWorthOfBeingFree() {
        Map<String, SortedSet<Integer>> subtasks = new HashMap<>();
        for (int subtask : left) {
            subtasks.computeIfAbsent(host(subtask), host -> new TreeSet<>()).add(subtask);
        }
        return subtasks.entrySet().stream()
                .filter(of -> around.others(of.getKey()) != Surroundings.Others.FIXED)
                .sorted(
                        Comparator.comparing(
                                        (Map.Entry<String, SortedSet<Integer>> of) ->
                                                around.others(of.getKey()))
                                .thenComparing(of -> of.getValue().size())
                                .thenComparing(
                                        of -> of.getValue().stream().mapToLong(this::owned).sum())
                                .thenComparing(of -> -of.getValue().last()))
                .<Set<Integer>>map(Map.Entry::getValue)
                .toList();
    }

    private int next() {
        Map<String, Long> onHost =
                left.stream().collect(Collectors.groupingBy(this::host, Collectors.counting()));
        return left.stream()
                .min(
                        // Numbers that a balance by count makes differ by one: the same here.
                        Comparator.comparing((Integer of) -> Math.rint(4 * owned(of) / share))
                                .thenComparing(of -> around.others(host(of)))
                                .thenComparing(of -> onHost.get(host(of)))
                                .thenComparing(this::owned)
                                .thenComparing(Comparator.reverseOrder()))
                .orElseThrow();
    }

    /** A subtask whose TaskManager is not known counts as alone on one. */
    private String host(int subtask) {
        return around.hosts().getOrDefault(subtask, "#" + subtask);
    }

    private long owned(int subtask) {
        return owned.getOrDefault(subtask, 0L);
    }
}
