package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.FollowerVertex;
import dev.drrs.runtime.message.OfRescale;
import dev.drrs.runtime.run.EndKeeper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that lists which retired subtasks have left are processed before the data of a job
 * end, by a rescale to one more subtask, which gets them: when predecessors have nothing but the
 * end left to send, which waits meanwhile, or before a job is drained. Where that cannot be done
 * the job restarts before it ends ({@link Rescales#onEndOfData}). Main thread.
 */
final class LeftLists {

    private static final Logger LOG = LoggerFactory.getLogger(LeftLists.class);

    /** How long the end of the job waits for a slot. */
    private static final Duration SLOT_PATIENCE = Duration.ofSeconds(30);

    private static final String CAUSE =
            "subtasks have retired and left list state, which one more gets before the data end";

    /** A rescale that was begun for some vertices, and who waits for its end. */
    private record Attempt(
            Rescale rescale, List<ElasticVertex> vertices, CompletableFuture<Void> over) {}

    private final ElasticJob job;
    private final Rescales rescales;
    private final Map<JobVertexID, EndKeeper> keepers = new LinkedHashMap<>();
    private final List<Attempt> attempts = new ArrayList<>();

    LeftLists(ElasticJob job, Rescales rescales) {
        this.job = job;
        this.rescales = rescales;
    }

    /** Keeps the end from the vertex from now on. */
    void keep(ElasticVertex vertex) {
        keepers.computeIfAbsent(
                        vertex.id(),
                        id ->
                                new EndKeeper(
                                        job, vertex, rescales.nextNumber(), rescales::advanceSoon))
                .askNew();
    }

    /** A rescale is over, or the last predecessor of a vertex has come to the end of its data. */
    void look() {
        for (Attempt attempt : List.copyOf(attempts)) {
            if (attempt.rescale.isOver()) {
                attempts.remove(attempt);
                attempt.vertices.forEach(this::letGo);
                attempt.over.complete(null);
            }
        }
        for (EndKeeper keeper : List.copyOf(keepers.values())) {
            if (isTried(keeper.vertex())) {
                continue;
            }
            if (!isLeft(keeper.vertex())) {
                letGo(keeper.vertex());
                continue;
            }
            keeper.askNew();
            if (keeper.allWait()) {
                beginIfPossible(keeper.vertex());
            }
        }
    }

    private boolean isTried(ElasticVertex vertex) {
        return attempts.stream().anyMatch(attempt -> attempt.vertices.contains(vertex));
    }

    private boolean isLeft(ElasticVertex vertex) {
        return job.retired().isLeft(vertex.id())
                || job.followers(vertex).stream()
                        .map(FollowerVertex::id)
                        .anyMatch(job.retired()::isLeft);
    }

    private void letGo(ElasticVertex vertex) {
        EndKeeper keeper = keepers.remove(vertex.id());
        if (keeper != null) {
            keeper.end();
        }
    }

    private void beginIfPossible(ElasticVertex vertex) {
        if (job.gate().isSavepointUnderWay()) { // it may wait for those that wait
            letGo(vertex);
        } else if (rescales.mayBegin(vertex) && begin(List.of(vertex)) == null) {
            letGo(vertex);
        }
    }

    /**
     * The job is to be drained, which no predecessor could hold up: its savepoint would wait.
     *
     * @return done when subtasks have got all that can be given to one, null if that is nothing
     */
    CompletableFuture<Void> beforeDrain() {
        List<ElasticVertex> left =
                keepers.values().stream()
                        .map(EndKeeper::vertex)
                        .filter(vertex -> isLeft(vertex) && !isTried(vertex))
                        .toList();
        return left.isEmpty() ? null : begin(left);
    }

    /** Null if it cannot be done for any of them. */
    private CompletableFuture<Void> begin(List<ElasticVertex> vertices) {
        String id = rescales.newId("left-lists");
        Map<ElasticVertex, RescaleRequest.Operator> wishes = new LinkedHashMap<>();
        for (ElasticVertex vertex : vertices) {
            Faults faults = new Faults();
            for (RescaleRequest.Operator candidate : LastSubtask.candidates(job, vertex)) {
                wishes.put(vertex, candidate);
                faults = check(wishes, id).faults();
                if (faults.isEmpty()) {
                    break;
                }
                wishes.remove(vertex);
            }
            if (!wishes.containsKey(vertex)) {
                LOG.info(
                        "Lists that subtasks of {} have left go to no subtask before the end: {}",
                        vertex.name(),
                        faults.all().stream()
                                .map(Faults.Fault::message)
                                .collect(Collectors.joining(" ")));
            }
        }
        if (wishes.isEmpty()) {
            return null;
        }
        Rescale rescale = new Rescale(check(wishes, id).parts(), rescales, null);
        Attempt attempt =
                new Attempt(rescale, List.copyOf(wishes.keySet()), new CompletableFuture<>());
        attempts.add(attempt);
        rescales.beginByItself(rescale);
        job.mainThread()
                .schedule(
                        () -> giveUpWithoutSlot(rescale),
                        SLOT_PATIENCE.toMillis(),
                        TimeUnit.MILLISECONDS);
        return attempt.over;
    }

    private RequestCheck check(Map<ElasticVertex, RescaleRequest.Operator> wishes, String id) {
        JobRequest request = LastSubtask.request(List.copyOf(wishes.values()), id, CAUSE);
        return new RequestCheck(job, rescales, request, new LoadCollector.Load());
    }

    private static void giveUpWithoutSlot(Rescale rescale) {
        if (rescale.running().stream().anyMatch(run -> !run.isDeployed())) {
            rescale.abort("no slot came within " + SLOT_PATIENCE.toSeconds() + " s");
        }
    }

    void onEvent(Execution task, OfRescale event) {
        for (EndKeeper keeper : List.copyOf(keepers.values())) {
            if (keeper.number() == event.rescale()) {
                keeper.onEvent(task, event);
            }
        }
    }

    void onFinished(Execution task) {
        List.copyOf(keepers.values()).forEach(keeper -> keeper.onGone(task));
    }

    /** A failover has dealt the lists out. */
    void interrupted(ElasticVertex vertex) {
        EndKeeper keeper = keepers.remove(vertex.id());
        if (keeper != null) {
            keeper.interrupted();
        }
    }
}
