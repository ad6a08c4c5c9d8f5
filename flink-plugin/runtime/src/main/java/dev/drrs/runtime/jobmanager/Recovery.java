package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Plan;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Strategy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What follows a failover that fell into a rescale: the job comes back with the placement of its
 * checkpoint, which may be neither the old nor the new one, and possibly with subtasks that own
 * nothing. One rescale more leads to the wanted placement (resume) or to the old one (roll back);
 * where resuming does not work, for lack of slots say, rolling back is tried. Main thread.
 */
final class Recovery {

    /** Key groups in one subscale; how large they are is not known here. */
    private static final int SUBSCALE_KEY_GROUPS = 16;

    private static final String DEFAULT_STRATEGY = "drrs";

    private final ElasticVertex vertex;
    private final String requestId;
    private final String strategy;
    private final Strategy.Settings settings;
    private final Deque<int[]> targets = new ArrayDeque<>();
    private int attempts;

    private Recovery(
            ElasticVertex vertex, String requestId, String strategy, Strategy.Settings settings) {
        this.vertex = vertex;
        this.requestId = requestId;
        this.strategy = strategy;
        this.settings = settings;
    }

    /**
     * After a failover that fell into a request, or that came before a checkpoint had what the
     * request did to the vertex.
     *
     * @param requestId of the recovery's own rescales, with an attempt number behind it
     * @param start where the vertex was before the request
     * @param resume whether to go on to where the request leads; to {@code start} otherwise, and if
     *     that fails
     */
    static Recovery after(RescalePart part, String requestId, int[] start, boolean resume) {
        RescaleRun.Order order = part.order();
        Recovery recovery =
                new Recovery(part.vertex(), requestId, order.strategy(), order.settings());
        if (resume) {
            recovery.targets.add(order.plan().placement());
        }
        recovery.targets.add(start);
        return recovery;
    }

    /** For subtasks that own nothing without a rescale being under way: they end. */
    static Recovery ofEmptySubtasks(ElasticVertex vertex) {
        Strategy strategy = Strategies.byName(DEFAULT_STRATEGY).orElseThrow();
        Recovery recovery =
                new Recovery(vertex, "failover", DEFAULT_STRATEGY, strategy.settings(Map.of()));
        recovery.targets.add(vertex.placement());
        return recovery;
    }

    ElasticVertex vertex() {
        return vertex;
    }

    boolean isNeeded() {
        return !targets.isEmpty()
                && (!vertex.emptySubtasks().isEmpty()
                        || !Arrays.equals(vertex.placement(), targets.peek()));
    }

    /** The present target was given up. */
    void nextTarget() {
        targets.poll();
    }

    /** The rescale that leads from the present placement to the target. */
    RescaleRun.Order order() {
        int[] target = targets.element();
        attempts++;
        return new RescaleRun.Order(
                requestId + "-after-failover-" + attempts,
                (int) Arrays.stream(target).distinct().count(),
                strategy,
                "a failover fell into rescale " + requestId,
                plan(vertex.placement(), target),
                settings);
    }

    /** The way from one placement to another in subscales of a moderate number of key groups. */
    static Plan plan(int[] present, int[] target) {
        Map<List<Integer>, List<Integer>> moves = new LinkedHashMap<>();
        for (int keyGroup = 0; keyGroup < target.length; keyGroup++) {
            if (present[keyGroup] != target[keyGroup]) {
                moves.computeIfAbsent(
                                List.of(present[keyGroup], target[keyGroup]),
                                pair -> new ArrayList<>())
                        .add(keyGroup);
            }
        }
        List<Plan.Move> subscales = new ArrayList<>();
        moves.forEach(
                (pair, keyGroups) -> {
                    for (int i = 0; i < keyGroups.size(); i += SUBSCALE_KEY_GROUPS) {
                        List<Integer> part =
                                keyGroups.subList(
                                        i, Math.min(i + SUBSCALE_KEY_GROUPS, keyGroups.size()));
                        subscales.add(
                                new Plan.Move(
                                        pair.get(0),
                                        pair.get(1),
                                        part.stream().mapToInt(Integer::intValue).toArray()));
                    }
                });
        return new Plan(target, subscales);
    }
}
