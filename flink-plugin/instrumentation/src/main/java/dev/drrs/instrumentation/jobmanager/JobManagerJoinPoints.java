package dev.drrs.instrumentation.jobmanager;

import dev.drrs.instrumentation.JoinPoint;
import java.util.List;

/** Join points in the JobManager: submission, deployment, checkpoint coordinator, REST. */
public final class JobManagerJoinPoints {

    private JobManagerJoinPoints() {}

    public static List<JoinPoint> all() {
        return List.of(
                new ElasticSubmission(),
                new DeploymentFilter(),
                new SchedulerCalls(),
                new TaskDeployment(),
                new CheckpointPlanFilter(),
                new CheckpointStatistics(),
                new CheckpointCoordinatorCreation(),
                new CheckpointDeActivator(),
                new CheckpointRequests(),
                new EndOfDataCount(),
                new StateAssignment(),
                new CheckpointMetadataWritten(),
                new CheckpointCompletion(),
                new DrainedTaskManagers(),
                new ShownParallelism(),
                new ShownJobPlan(),
                new RestEndpoints(),
                new KeptRescales(),
                new ArchivedRescales(),
                new ArmedTaskManagers(),
                new AdaptiveSchedulerNotice());
    }
}
