package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.DrrsIds;
import dev.drrs.runtime.HookHolder;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor.MaybeOffloaded;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor.NonOffloaded;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.PartitionLocationConstraint;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.TaskInformation;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.DefaultScheduler;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.SchedulerBase;
import org.apache.flink.runtime.scheduler.VertexParallelismStore;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.SerializedValue;

/** What the advice in the JobManager calls. Each method returns Flink's own value where the job is not elastic. */
public final class JobManagerHooks {

    private static final VarHandle TASK_INFORMATION;

    static {
        try {
            TASK_INFORMATION =
                    MethodHandles.privateLookupIn(TaskDeploymentDescriptor.class, MethodHandles.lookup())
                            .findVarHandle(
                                    TaskDeploymentDescriptor.class, "serializedTaskInformation", MaybeOffloaded.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private JobManagerHooks() {}

    /** Subtasks to deploy, without the dormant ones. Main thread. */
    public static List<ExecutionVertexID> toDeploy(DefaultScheduler scheduler, List<ExecutionVertexID> subtasks) {
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        return job == null ? subtasks : job.toDeploy(scheduler, subtasks);
    }

    /** The parallelism store with the max parallelism that the elastic vertices would have had unraised. */
    public static void parallelism(JobGraph graph, VertexParallelismStore store) {
        ElasticJob job = ElasticJobs.get(graph.getJobID());
        if (job == null) {
            return;
        }
        for (JobVertex vertex : graph.getVertices()) {
            ElasticVertex elastic = job.vertex(vertex.getID());
            if (elastic != null) {
                DrrsSchedulerAccess.setParallelism(
                        store, vertex.getID(), elastic.ceiling(), elastic.maxParallelism());
            }
        }
    }

    /** A consumer in an elastic job may be deployed before a dormant producer. */
    public static PartitionLocationConstraint constraint(JobID job, PartitionLocationConstraint given) {
        return ElasticJobs.get(job) == null ? given : PartitionLocationConstraint.CAN_BE_UNKNOWN;
    }

    /** Adds the plug-in's entry to the task information of a deployment. Main thread. */
    public static void describe(Execution execution, TaskDeploymentDescriptor descriptor) throws IOException {
        ElasticJob job = ElasticJobs.get(execution.getVertex().getJobId());
        if (job == null) {
            return;
        }
        SerializedValue<TaskInformation> information = job.describe(execution);
        if (information != null) {
            TASK_INFORMATION.set(descriptor, new NonOffloaded<>(information));
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
        hook(decider, job);
        hook(statistics, job);
    }

    /** The de-activator was made for this coordinator. */
    public static void deActivator(Object deActivator, Object coordinatorHook) {
        hook(deActivator, coordinatorHook);
    }

    private static void hook(Object holder, Object hook) {
        if (holder instanceof HookHolder target) {
            target.drrsHook(hook);
        }
    }

    /** The executions whose end a stop-with-savepoint waits for: dormant ones never end. Main thread. */
    public static List<ExecutionVertex> awake(Iterable<ExecutionVertex> all) {
        List<ExecutionVertex> awake = new ArrayList<>();
        for (ExecutionVertex vertex : all) {
            ElasticJob job = ElasticJobs.get(vertex.getJobId());
            if (job == null || !job.isDormant(vertex.getID())) {
                awake.add(vertex);
            }
        }
        return awake;
    }

    /** Takes an event of the plug-in's own out of the way to Flink's coordinators. Main thread. */
    public static boolean takeEvent(
            SchedulerBase scheduler, ExecutionAttemptID task, OperatorID operator, OperatorEvent event) {
        if (!DrrsIds.OPERATOR_ID.equals(operator)) {
            return false;
        }
        ElasticJob job = ElasticJobs.get(DrrsSchedulerAccess.jobGraph(scheduler).getJobID());
        if (job != null) {
            job.rescales().onTaskEvent(task, event);
        }
        return true;
    }

}
