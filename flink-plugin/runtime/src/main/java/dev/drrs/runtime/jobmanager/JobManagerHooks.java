package dev.drrs.runtime.jobmanager;

import dev.drrs.flink.DeploymentAccess;
import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.DrrsIds;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticJobs;
import dev.drrs.runtime.job.GroupMember;
import dev.drrs.runtime.job.OwnFailures;
import dev.drrs.runtime.job.TaskDescription;
import dev.drrs.runtime.request.JobRequest;
import dev.drrs.runtime.shown.ShownPlan;
import dev.drrs.runtime.shown.ShownSubtasks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.PartitionLocationConstraint;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.TaskExecutionStateTransition;
import org.apache.flink.runtime.executiongraph.TaskInformation;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategyFactoryLoader;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.rest.messages.JobPlanInfo;
import org.apache.flink.runtime.scheduler.DefaultScheduler;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.SchedulerBase;
import org.apache.flink.runtime.scheduler.VertexParallelismStore;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.SerializedValue;
import org.apache.flink.util.concurrent.FutureUtils;

/**
 * What the advice in the JobManager calls. Each method returns Flink's own value where the job is
 * not elastic.
 */
public final class JobManagerHooks {

    private JobManagerHooks() {}

    /** Subtasks to deploy, without the dormant ones. Main thread. */
    public static List<ExecutionVertexID> toDeploy(
            DefaultScheduler scheduler, List<ExecutionVertexID> subtasks) {
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        return job == null ? subtasks : job.toDeploy(scheduler, subtasks);
    }

    /**
     * The parallelism store with the max parallelism that the elastic vertices would have had
     * unraised.
     */
    public static void parallelism(JobGraph graph, VertexParallelismStore store) {
        ElasticJob job = ElasticJobs.get(graph.getJobID());
        if (job == null) {
            return;
        }
        for (JobVertex vertex : graph.getVertices()) {
            GroupMember elastic = job.member(vertex.getID());
            if (elastic != null) {
                DrrsSchedulerAccess.setParallelism(
                        store, vertex.getID(), elastic.ceiling(), elastic.maxParallelism());
            }
        }
    }

    /** What REST shows as the plan of a job; null as long as there is none. Main thread. */
    public static JobPlanInfo.Plan shownPlan(JobID id, JobPlanInfo.Plan plan) {
        ElasticJob job = ElasticJobs.get(id);
        return job == null || plan == null
                ? plan
                : ShownSubtasks.orStock(plan, () -> ShownPlan.of(job, plan));
    }

    /** A consumer in an elastic job may be deployed before a dormant producer. */
    public static PartitionLocationConstraint constraint(
            JobID job, PartitionLocationConstraint given) {
        return ElasticJobs.get(job) == null ? given : PartitionLocationConstraint.CAN_BE_UNKNOWN;
    }

    /**
     * The restart strategy of a job.
     *
     * @param cluster the configuration that holds where the job's own says nothing
     */
    public static RestartBackoffTimeStrategy restartStrategy(
            JobGraph job, Configuration cluster, RestartBackoffTimeStrategy strategy) {
        ElasticJob elastic = ElasticJobs.get(job.getJobID());
        return elastic == null
                ? strategy
                : OwnFailures.apart(
                        strategy,
                        RestartBackoffTimeStrategyFactoryLoader
                                .createRestartBackoffTimeStrategyFactory(
                                        job.getJobConfiguration(),
                                        cluster,
                                        job.isCheckpointingEnabled()),
                        elastic);
    }

    /** A task has failed; the restart strategy is asked next. Main thread. */
    public static void failed(Execution task) {
        ElasticJob job = ElasticJobs.get(task.getVertex().getJobId());
        if (job != null) {
            job.failed(task.getVertex().getID());
        }
    }

    /** Adds the plug-in's entry to the task information of a deployment. Main thread. */
    public static void describe(Execution execution, TaskDeploymentDescriptor descriptor)
            throws IOException {
        ElasticJob job = ElasticJobs.get(execution.getVertex().getJobId());
        if (job == null) {
            return;
        }
        TaskDescription.countOpenSubpartitions(
                job, execution.getVertex().getJobVertex(), descriptor.getProducedPartitions());
        SerializedValue<TaskInformation> information = job.describe(execution);
        if (information != null) {
            DeploymentAccess.setTaskInformation(descriptor, information);
        }
    }

    /** Whether the checkpoint de-activator has to leave this state change alone. Main thread. */
    public static boolean isQuiet(Object hook, ExecutionAttemptID attempt) {
        return hook instanceof ElasticJob job && job.isQuiet(attempt);
    }

    /** A checkpoint coordinator was made: its parts get to know the job. */
    public static void checkpointCoordinator(
            JobID id, CheckpointCoordinator coordinator, Object decider, Object statistics) {
        ElasticJob job = ElasticJobs.get(id);
        if (job == null) {
            return;
        }
        job.gate().attach(coordinator);
        hook(coordinator, job);
        hook(decider, job);
        hook(statistics, job);
    }

    /** The de-activator was made for this coordinator. */
    public static void deActivator(Object deActivator, CheckpointCoordinator coordinator) {
        if ((Object) coordinator instanceof HookHolder holder) {
            hook(deActivator, holder.drrsHook());
        }
    }

    private static void hook(Object holder, Object hook) {
        if (holder instanceof HookHolder target) {
            target.drrsHook(hook);
        }
    }

    /** Takes an event of the plug-in's own out of the way to Flink's coordinators. Main thread. */
    public static boolean takeEvent(
            SchedulerBase scheduler,
            ExecutionAttemptID task,
            OperatorID operator,
            OperatorEvent event) {
        if (!DrrsIds.OPERATOR_ID.equals(operator)) {
            return false;
        }
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        if (job != null) {
            job.rescales().onTaskEvent(task, event);
        }
        return true;
    }

    /**
     * Answers a request of the plug-in's REST handlers; null for any other request. Main thread.
     */
    public static CompletableFuture<CoordinationResponse> takeRequest(
            SchedulerBase scheduler, CoordinationRequest request) {
        if (!(request instanceof JobRequest)) {
            return null;
        }
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        if (job == null && scheduler.requestJobStatus().isGloballyTerminalState()) {
            return CompletableFuture.completedFuture(
                    Faults.answer(
                            FaultCode.UNAVAILABLE,
                            "The job has just ended; try again in a moment."));
        }
        if (job == null) {
            return CompletableFuture.completedFuture(
                    Faults.answer(
                            FaultCode.NOT_ELASTIC,
                            "The job was not submitted as elastic; start it with -D"
                                    + DrrsOptions.ENABLED.key()
                                    + "=true."));
        }
        return job.rescales().answer(request);
    }

    /** The scheduler ends, whatever became of the job. Main thread. */
    public static void closed(SchedulerBase scheduler) {
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        if (job != null && (job.scheduler() == scheduler || job.scheduler() == null)) {
            job.close();
        }
    }

    /** A task's state has changed. Main thread. */
    public static void taskState(SchedulerBase scheduler, TaskExecutionStateTransition transition) {
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        if (job != null && job.scheduler() != null) {
            job.rescales().onTaskState(transition.getID(), transition.getExecutionState());
        }
    }

    /** What a stop-with-savepoint waits for: the end of the active subtasks. Main thread. */
    public static CompletableFuture<Collection<ExecutionState>> termination(
            SchedulerBase scheduler, CompletableFuture<Collection<ExecutionState>> all) {
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        if (job == null || job.scheduler() == null) {
            return all;
        }
        List<CompletableFuture<ExecutionState>> awake = new ArrayList<>();
        for (ExecutionVertex vertex :
                DrrsSchedulerAccess.executionGraph(job.scheduler()).getAllExecutionVertices()) {
            if (!job.isDormant(vertex.getID())) {
                awake.add(vertex.getCurrentExecutionAttempt().getTerminalStateFuture());
            }
        }
        return FutureUtils.combineAll(awake);
    }

    /**
     * Once all active subtasks of a vertex have ended by themselves, its dormant ones count as
     * ended. Main thread.
     */
    public static void taskFinished(Execution execution) {
        ElasticJob job = ElasticJobs.get(execution.getVertex().getJobId());
        if (job == null || job.member(execution.getVertex().getJobvertexId()) == null) {
            return;
        }
        if (job.isRetiring(execution.getVertex().getID())) {
            job.rescales().onRetired(execution);
            return;
        }
        ExecutionVertex[] subtasks = execution.getVertex().getJobVertex().getTaskVertices();
        for (ExecutionVertex subtask : subtasks) {
            if (!job.isDormant(subtask.getID())
                    && subtask.getExecutionState() != ExecutionState.FINISHED) {
                return;
            }
        }
        for (ExecutionVertex subtask : subtasks) {
            Execution dormant = subtask.getCurrentExecutionAttempt();
            if (dormant.getState() == ExecutionState.CREATED) {
                dormant.recoverExecution(
                        dormant.getAttemptId(),
                        execution.getAssignedResourceLocation(),
                        null,
                        null);
            }
        }
    }

    /**
     * Stops a job with a savepoint as soon as what has to be done before a drain has been. Main
     * thread.
     *
     * @return what to answer, null if it may be stopped at once
     */
    public static CompletableFuture<String> beforeStop(
            SchedulerBase scheduler, String directory, boolean drain, SavepointFormatType format) {
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        CompletableFuture<Void> before =
                job == null || !drain ? null : job.rescales().beforeDrain();
        return before == null
                ? null
                : before.thenComposeAsync(
                        done -> scheduler.stopWithSavepoint(directory, true, format),
                        job.mainThread());
    }

    /** Dormant subtasks of the vertex count as through with their data. Main thread. */
    public static void endOfData(
            JobID id, Map<JobVertexID, BitSet> ended, ExecutionAttemptID task) {
        ElasticJob job = ElasticJobs.get(id);
        GroupMember vertex = job == null ? null : job.member(task.getJobVertexId());
        BitSet bits = ended.get(task.getJobVertexId());
        if (vertex == null || bits == null) {
            return;
        }
        job.rescales().onEndOfData(task);
        for (int subtask = 0; subtask < vertex.ceiling(); subtask++) {
            if (!vertex.isActive(subtask)) {
                bits.set(subtask);
            }
        }
    }
}
