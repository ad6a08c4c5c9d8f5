package dev.drrs.runtime.request;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.history.JournalDocument;
import dev.drrs.runtime.history.Phases;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.run.RescaleRun;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which vertices are to be brought to another placement than that of the checkpoint a failover went
 * back to: those whose rescale it fell into, and those whose last rescale no completed checkpoint
 * has yet. Main thread.
 */
public final class Recoveries {

    /** What became of a vertex since the last checkpoint that is known to be complete. */
    private record Unsaved(Recovery recovery, ElasticVertex vertex, long afterCheckpoint) {}

    private static final Logger LOG = LoggerFactory.getLogger(Recoveries.class);

    private final ElasticJob job;
    private final Map<JobVertexID, Recovery> waiting = new LinkedHashMap<>();
    private final Map<JobVertexID, Unsaved> unsaved = new HashMap<>();

    /** Those whose rescales have failed too often. */
    private final Set<JobVertexID> leftAlone = new HashSet<>();

    Recoveries(ElasticJob job) {
        this.job = job;
    }

    /**
     * Those that may have something to do, in the order in which it came up. Whether they have can
     * only be said once the vertex runs again: before, its placement is that of the time before the
     * failover.
     */
    List<Recovery> waiting() {
        return List.copyOf(waiting.values());
    }

    /** Where vertices were still to go in an earlier JobManager. */
    void remember(List<JournalDocument.Target> targets) {
        for (JournalDocument.Target target : targets) {
            ElasticVertex vertex = job.vertex(JobVertexID.fromHexString(target.vertexId()));
            if (vertex != null) {
                remember(vertex, target);
            }
        }
    }

    private void remember(ElasticVertex vertex, JournalDocument.Target target) {
        try {
            waiting.put(vertex.id(), Recovery.of(vertex, target, job.settings()));
        } catch (IllegalArgumentException e) { // the job has other options than it had
            LOG.warn(
                    "Operator {} stays where its checkpoint has it: rescale {} does not go on, as"
                            + " its options are not valid any more.",
                    vertex.name(),
                    target.requestId(),
                    e);
        }
    }

    /**
     * What another JobManager would have to do if this one were lost now: what waits, what a
     * rescale under way is about, and what no completed checkpoint has yet.
     */
    Collection<Recovery> ifLost(List<Rescale> open) {
        Map<JobVertexID, Recovery> all = new LinkedHashMap<>();
        unsaved.forEach((id, last) -> all.put(id, last.recovery));
        for (Rescale rescale : open) {
            if (rescale.recovery() == null) {
                for (RescalePart part : rescale.parts()) {
                    if (!part.isOver()) {
                        all.put(part.vertex().id(), ifLost(rescale, part));
                    }
                }
            }
        }
        all.putAll(waiting);
        return all.values();
    }

    private Recovery ifLost(Rescale rescale, RescalePart part) {
        RescaleRun run = part.current();
        boolean resume = !turnsBack(rescale) && (run == null || !run.isAborted());
        int[] start = part.hasBegun() ? part.startPlacement() : part.vertex().placement();
        return Recovery.after(part, idOf(rescale, part), start, resume);
    }

    /** Ids of rescales still to come that go on with the request. */
    List<String> continuing(String requestId) {
        return waiting.values().stream()
                .filter(Recovery::resumes)
                .map(Recovery::nextId)
                .filter(id -> Recovery.isAttempt(id, requestId))
                .toList();
    }

    /** Somebody else says where the vertex goes, or it is there. */
    void forget(ElasticVertex vertex) {
        waiting.remove(vertex.id());
        leftAlone.remove(vertex.id());
    }

    /**
     * Subtasks that own nothing end; the active set of the checkpoint itself is deployed first, as
     * operators behind the keyed one may have state in it.
     */
    void lookForEmptySubtasks(Predicate<ElasticVertex> isUnderWay) {
        for (ElasticVertex vertex : job.vertices()) {
            if (!vertex.emptySubtasks().isEmpty()
                    && !waiting.containsKey(vertex.id())
                    && !leftAlone.contains(vertex.id())
                    && !isUnderWay.test(vertex)) {
                waiting.put(vertex.id(), Recovery.ofEmptySubtasks(vertex));
            }
        }
    }

    /** Whether what a failover fell into goes back as a whole. */
    boolean turnsBack(Rescale rescale) {
        return rescale.recovery() == null && (rescale.abortReason() != null || !resumes());
    }

    private boolean resumes() {
        return job.configuration().get(DrrsOptions.AFTER_FAILOVER)
                == DrrsOptions.AfterFailover.RESUME;
    }

    /** A failover falls into a run of the rescale. */
    void interrupted(Rescale rescale, RescaleRun run, String reason) {
        int limit = Math.max(1, job.configuration().get(DrrsOptions.FAILOVER_ATTEMPTS));
        Recovery before = rescale.recovery();
        if (before != null) { // still waiting, for its next attempt
            before.failed(reason, limit);
            if (before.isOver()) {
                LOG.warn(
                        "Operator {} stays as it is after rescale {}: {}.",
                        before.vertex().name(),
                        rescale.requestId(),
                        reason);
                waiting.values().remove(before);
                leftAlone.add(before.vertex().id());
            }
            return;
        }
        boolean resume = !turnsBack(rescale) && !run.isAborted();
        for (RescalePart part : rescale.parts()) {
            if (part.current() == run) {
                Recovery next =
                        Recovery.after(part, idOf(rescale, part), part.startPlacement(), resume);
                next.failed(reason, limit);
                waiting.put(part.vertex().id(), next);
            } else if (!part.hasBegun() && !part.isOver() && resume) {
                waiting.put(
                        part.vertex().id(),
                        Recovery.after(part, idOf(rescale, part), part.vertex().placement(), true));
            }
        }
    }

    private static String idOf(Rescale rescale, RescalePart part) {
        return rescale.parts().size() == 1
                ? rescale.requestId()
                : rescale.requestId() + "-" + part.vertex().id().toString().substring(0, 8);
    }

    /** A failover goes back to a checkpoint that may not have the vertex's last rescale. */
    void interrupted(ElasticVertex vertex) {
        Unsaved last = unsaved.remove(vertex.id());
        if (last != null) {
            waiting.putIfAbsent(vertex.id(), last.recovery);
        }
    }

    /** A run is over. */
    void ended(Rescale rescale, RescaleRun run) {
        unsaved.remove(run.vertex().id());
        Phase phase = run.lifecycle().phase();
        if (phase == Phase.FAILED) {
            return;
        }
        for (RescalePart part : rescale.parts()) {
            if (part.latest() == run) {
                Recovery again =
                        Recovery.after(
                                part,
                                idOf(rescale, part),
                                part.startPlacement(),
                                phase == Phase.COMPLETED && !part.isBackBegun() && resumes());
                unsaved.put(
                        part.vertex().id(),
                        new Unsaved(again, part.vertex(), part.vertex().lastSnapshot()));
            }
        }
    }

    /** All of the rescale is over. */
    void ended(Rescale rescale) {
        Recovery recovery = rescale.recovery();
        if (recovery != null && rescale.phase() == Phase.ABORTED) {
            recovery.nextTarget(reasonOf(rescale));
        } else if (recovery != null && rescale.phase() == Phase.COMPLETED) {
            waiting.values().remove(recovery);
        }
    }

    private static String reasonOf(Rescale rescale) {
        return "it was given up: " + Phases.end(RequestFacts.phases(rescale)).reason();
    }

    void onCheckpointCompleted(long checkpoint) {
        unsaved.values().removeIf(last -> checkpoint > last.afterCheckpoint);
    }
}
