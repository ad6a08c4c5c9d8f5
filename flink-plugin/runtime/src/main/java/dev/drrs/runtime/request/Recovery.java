package dev.drrs.runtime.request;

import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.Planner;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Strategy;
import dev.drrs.runtime.history.JournalDocument;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.run.RescaleRun;
import dev.drrs.runtime.run.StrategyChoice;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What follows a failover that fell into a rescale: the job comes back with the placement of its
 * checkpoint, which may be neither the old nor the new one, and possibly with subtasks that own
 * nothing. One rescale more leads to the wanted placement (resume) or to the old one (roll back);
 * where resuming does not work, for lack of slots say, rolling back is tried. Main thread.
 */
final class Recovery {

    private static final String SUFFIX = "-after-failover-";

    /** Id of a request, part of the vertex if it has several, number of the attempt. */
    private static final Pattern ID =
            Pattern.compile("(.*?)(-[0-9a-f]{8})?" + SUFFIX + "([0-9]{1,9})");

    private final ElasticVertex vertex;
    private final String requestId;
    private final StrategyChoice strategy;
    private final Deque<int[]> targets = new ArrayDeque<>();
    private boolean resumes;
    private int attempts;

    /** Failovers that fell into a rescale towards the present target. */
    private int failures;

    /** Why the target before was given up, or null. */
    private String givenUp;

    private Recovery(ElasticVertex vertex, String requestId, StrategyChoice strategy) {
        this.vertex = vertex;
        this.requestId = requestId;
        this.strategy = strategy;
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
        Recovery recovery = new Recovery(part.vertex(), requestId, order.strategy());
        recovery.resumes = resume;
        if (resume) {
            recovery.targets.add(order.plan().placement());
        }
        recovery.targets.add(start);
        return recovery;
    }

    /** For subtasks that own nothing without a rescale being under way: they end. */
    static Recovery ofEmptySubtasks(ElasticVertex vertex) {
        Strategy strategy = Strategies.byName(Strategies.DEFAULT).orElseThrow();
        Recovery recovery =
                new Recovery(vertex, "failover", StrategyChoice.of(strategy, Map.of(), Map.of()));
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

    /** Whether it leads to where the request would have. */
    boolean resumes() {
        return resumes;
    }

    /**
     * Whether a rescale is a later attempt to go on with a request, or with one of its operators.
     *
     * @param id of the rescale
     * @param of id of the request, or of an earlier attempt
     */
    static boolean isAttempt(String id, String of) {
        Matcher later = ID.matcher(id);
        if (!later.matches()) {
            return false;
        }
        String whole = id.substring(0, id.lastIndexOf(SUFFIX));
        Matcher earlier = ID.matcher(of);
        if (earlier.matches()) {
            return whole.equals(of.substring(0, of.lastIndexOf(SUFFIX)))
                    && Integer.parseInt(later.group(3)) > Integer.parseInt(earlier.group(3));
        }
        return whole.equals(of) || later.group(1).equals(of);
    }

    /** The id that its next rescale will have. */
    String nextId() {
        return requestId + SUFFIX + (attempts + 1);
    }

    /** The present target was given up. */
    void nextTarget(String why) {
        targets.poll();
        resumes = false;
        failures = 0;
        givenUp = why;
    }

    /**
     * A failover fell into a rescale towards the present target.
     *
     * @param limit after so many the next target is taken
     */
    void failed(String reason, int limit) {
        if (++failures >= limit) {
            nextTarget(failures + " attempts failed, the last one because " + reason);
        }
    }

    /** Whether there is nowhere left to go. */
    boolean isOver() {
        return targets.isEmpty();
    }

    /** The rescale that leads from the present placement to the target. */
    RescaleRun.Order order() {
        int[] target = targets.element();
        String id = nextId();
        attempts++;
        return new RescaleRun.Order(
                id,
                (int) Arrays.stream(target).distinct().count(),
                strategy,
                "a failover fell into rescale "
                        + requestId
                        + (givenUp == null ? "" : "; it goes back, as " + givenUp),
                plan(vertex.placement(), target, strategy));
    }

    /** For the next JobManager. */
    JournalDocument.Target kept() {
        return new JournalDocument.Target(
                vertex.id().toString(),
                requestId,
                strategy.name(),
                strategy.options(),
                resumes,
                attempts,
                failures,
                givenUp,
                List.copyOf(targets));
    }

    /**
     * What {@link #kept} left in another JobManager.
     *
     * @param settings of the job
     * @throws IllegalArgumentException if they do not go with the options of the request
     */
    static Recovery of(
            ElasticVertex vertex, JournalDocument.Target kept, Map<String, String> settings) {
        Strategy strategy =
                Strategies.byName(kept.strategy())
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "there is no strategy " + kept.strategy()));
        Recovery recovery =
                new Recovery(
                        vertex,
                        kept.requestId(),
                        StrategyChoice.of(strategy, kept.options(), settings));
        recovery.resumes = kept.resumes();
        recovery.attempts = kept.attempts();
        recovery.failures = kept.failures();
        recovery.givenUp = kept.givenUp();
        recovery.targets.addAll(kept.targets());
        return recovery;
    }

    /** The way from one placement to another; how large key groups are is not known here. */
    static Plan plan(int[] present, int[] target, StrategyChoice strategy) {
        return Planner.towards(
                present, target, KeyGroupLoad.unknown(target.length), strategy.policies().units());
    }
}
