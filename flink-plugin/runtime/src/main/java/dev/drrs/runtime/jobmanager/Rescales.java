package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.message.LoadReport;
import dev.drrs.runtime.message.Unsupported;
import dev.drrs.runtime.rest.FaultCode;
import dev.drrs.runtime.rest.Faults;
import dev.drrs.runtime.rest.JobAnswer;
import dev.drrs.runtime.rest.JobRequest;
import dev.drrs.runtime.task.TaskHello;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;

/** The rescales of one job: at most one under way, and those that ended. Main thread. */
public final class Rescales {

    private final ElasticJob job;
    private final SubscaleIds ids = new SubscaleIds();
    private final Deque<RescaleRun> all = new ArrayDeque<>();
    private final Map<JobVertexID, String> unsupported = new HashMap<>();
    private final LoadCollector loads;
    private final RescaleMetrics metrics = new RescaleMetrics();
    private RescaleRun current;
    private Recovery recovery;
    private boolean recovering;
    private int lastNumber;

    Rescales(ElasticJob job) {
        this.job = job;
        this.loads = new LoadCollector(job);
    }

    /** The scheduler is known and runs. */
    void started() {
        job.gate().start(job.mainThread());
        metrics.register(DrrsSchedulerAccess.jobMetrics(job.scheduler()));
    }

    RescaleRun current() {
        return current;
    }

    /** Why a subtask says that the vertex's state cannot be moved, or null. */
    String unsupported(ElasticVertex vertex) {
        return unsupported.get(vertex.id());
    }

    RescaleRun find(String requestId) {
        return all.stream()
                .filter(run -> run.order().requestId().equals(requestId))
                .findFirst()
                .orElse(null);
    }

    /** Answers one request of the REST port. */
    public CompletableFuture<JobAnswer> answer(JobRequest request) {
        return switch (request.verb()) {
            case VERTICES ->
                    loads.collect()
                            .thenApply(
                                    load ->
                                            JobAnswer.ok(
                                                    VerticesJson.of(job, load, request.cluster())));
            case HISTORY -> CompletableFuture.completedFuture(JobAnswer.ok(StatusJson.all(all)));
            case STATUS -> CompletableFuture.completedFuture(status(request.requestId()));
            case ABORT -> CompletableFuture.completedFuture(abort(request.requestId()));
            case RESCALE -> CompletableFuture.completedFuture(rescale(request));
        };
    }

    private JobAnswer status(String requestId) {
        RescaleRun run = find(requestId);
        return run == null ? unknown(requestId) : JobAnswer.ok(StatusJson.of(run));
    }

    private JobAnswer abort(String requestId) {
        RescaleRun run = find(requestId);
        if (run == null) {
            return unknown(requestId);
        }
        if (!run.lifecycle().phase().isAbortable()) {
            return Faults.answer(
                    FaultCode.NOT_ABORTABLE,
                    "Rescale "
                            + requestId
                            + " is "
                            + run.lifecycle().phase()
                            + " and cannot be aborted any more.");
        }
        run.abort("aborted by request");
        return JobAnswer.accepted(StatusJson.accepted(requestId));
    }

    private static JobAnswer unknown(String requestId) {
        return Faults.answer(
                FaultCode.UNKNOWN_RESCALE,
                "The job knows no rescale " + requestId + "; its history lists those it has seen.");
    }

    private JobAnswer rescale(JobRequest request) {
        if (find(request.requestId()) != null) {
            return JobAnswer.accepted(StatusJson.accepted(request.requestId()));
        }
        RequestCheck check = new RequestCheck(job, this, request);
        if (!check.faults().isEmpty()) {
            return check.faults().toAnswer();
        }
        if (check.isDryRun()) {
            return JobAnswer.ok("{\"valid\":true}");
        }
        recovery = null; // the request says where to go
        begin(check.vertex(), check.order());
        return JobAnswer.accepted(StatusJson.accepted(request.requestId()));
    }

    private void begin(ElasticVertex vertex, RescaleRun.Order order) {
        current = new RescaleRun(job, vertex, order, ++lastNumber, ids, this::ended);
        all.addFirst(current);
        while (all.size() > Math.max(1, job.configuration().get(DrrsOptions.HISTORY_SIZE))) {
            all.removeLast();
        }
        current.begin();
    }

    /**
     * Once all tasks run after a failover: on to the old or the new placement, and subtasks that
     * own nothing end. The active set of the checkpoint itself is deployed first, as operators
     * behind the keyed one may have state in it.
     */
    private void recoverIfReady() {
        if (current != null
                || DrrsSchedulerAccess.executionGraph(job.scheduler()).getState()
                        != JobStatus.RUNNING) {
            return;
        }
        if (recovery == null) {
            job.vertices().stream()
                    .filter(vertex -> !vertex.emptySubtasks().isEmpty())
                    .findFirst()
                    .ifPresent(vertex -> recovery = Recovery.ofEmptySubtasks(vertex));
        }
        if (recovery == null) {
            return;
        }
        if (!recovery.isNeeded()) {
            recovery = null;
            return;
        }
        Neighbours neighbours =
                new Neighbours(
                        job,
                        recovery.vertex(),
                        DrrsSchedulerAccess.executionGraph(job.scheduler()));
        if (neighbours.notRunning() == null) {
            recovering = true;
            begin(recovery.vertex(), recovery.order());
        }
    }

    private void ended() {
        if (recovering && current.lifecycle().phase() == Phase.ABORTED) {
            recovery.nextTarget();
            job.mainThread().execute(this::recoverIfReady);
        } else if (recovering && current.lifecycle().phase() == Phase.COMPLETED) {
            recovery = null;
        }
        recovering = false;
        metrics.add(current);
        current = null;
    }

    /** A task of the job says something to the plug-in. */
    public void onTaskEvent(ExecutionAttemptID attempt, OperatorEvent event) {
        Execution task =
                DrrsSchedulerAccess.executionGraph(job.scheduler())
                        .getRegisteredExecutions()
                        .get(attempt);
        if (task == null) {
            return; // of an attempt that is gone
        }
        if (event instanceof LoadReport report) {
            loads.add(task, report);
        } else if (event instanceof Unsupported reason) {
            unsupported.put(task.getVertex().getJobvertexId(), reason.reason());
        } else if (event instanceof TaskHello) {
            if (current != null) {
                current.onHello(task);
            }
        } else if (current != null) {
            current.onEvent(task, event);
        }
    }

    /** A task's state has changed. */
    public void onTaskState(ExecutionAttemptID attempt, ExecutionState state) {
        Execution task =
                DrrsSchedulerAccess.executionGraph(job.scheduler())
                        .getRegisteredExecutions()
                        .get(attempt);
        if (current != null && task != null) {
            current.onTaskState(task, state);
        }
        if (state == ExecutionState.RUNNING) {
            recoverIfReady();
        }
    }

    /** A subtask that the rescale under way retires has ended. */
    void onRetired(Execution execution) {
        if (current != null) {
            current.onRetired(execution);
        }
    }

    /** A checkpoint or savepoint of the job is complete. */
    void onCheckpointCompleted(long checkpoint) {
        if (current != null) {
            current.onCheckpointCompleted(checkpoint);
        }
    }

    /** Whether a rescale of this vertex was under way and is over now. */
    boolean interrupted(ElasticVertex vertex, String reason) {
        if (current == null || current.vertex() != vertex) {
            return false;
        }
        job.gate().checkpointsGone();
        if (!recovering) {
            boolean resume =
                    job.configuration().get(DrrsOptions.AFTER_FAILOVER)
                            == DrrsOptions.AfterFailover.RESUME;
            recovery = Recovery.after(current, resume);
        }
        current.interrupted(reason);
        return true;
    }

    void closed() {
        loads.interrupted();
        if (current != null) {
            current.interrupted("the JobMaster stopped");
        }
    }
}
