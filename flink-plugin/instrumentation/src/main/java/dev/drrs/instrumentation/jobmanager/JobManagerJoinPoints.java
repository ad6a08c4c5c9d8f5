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
                new CheckpointTaskStatistics(),
                new CheckpointCoordinatorCreation(),
                new CheckpointDeActivator(),
                new CheckpointRequests(),
                new EndOfDataCount(),
                new RestartStrategy(),
                new FailedTask(),
                new StateAssignment(),
                new CheckpointMetadataWritten(),
                new CheckpointCompletion(),
                new DrainedTaskManagers(),
                new AccumulatorsOfJob(),
                new AttemptsWithMetrics(),
                new ShownBackPressure(),
                new AccumulatorsOfVertex(),
                new ShownVertex(),
                new ShownInJob(),
                new ShownInVertex(),
                new ShownTimes(),
                new ShownSubtask(),
                new ShownFlameGraph(),
                new ShownCheckpoint(),
                new ShownJobPlan(),
                new RestEndpoints(),
                new KeptRescales(),
                new ArchivedRescales(),
                new ArmedTaskManagers(),
                new AdaptiveSchedulerNotice());
    }
}
