package dev.drrs.runtime.job;

import dev.drrs.runtime.Causes;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The plug-in's part in Flink's checkpoint and failover machinery for one elastic vertex: placement
 * and active set go into each checkpoint, and come back from it.
 *
 * <p>An ordinary task failover calls only {@link #subtaskReset}, in the main-thread action that
 * deploys the tasks again, so the placement goes back there; {@link #resetToCheckpoint} covers the
 * first restore, global failures and a new JobManager. Everything in the JobMaster's main thread,
 * except the first {@link #resetToCheckpoint}.
 */
public final class VertexCoordinator implements OperatorCoordinator {

    /** Creates the coordinator; travels with the job graph. */
    public static final class Provider implements OperatorCoordinator.Provider {

        private static final long serialVersionUID = 1L;

        private final OperatorID operator;
        private final JobVertexID vertex;

        public Provider(OperatorID operator, JobVertexID vertex) {
            this.operator = operator;
            this.vertex = vertex;
        }

        @Override
        public OperatorID getOperatorId() {
            return operator;
        }

        @Override
        public OperatorCoordinator create(Context context) {
            JobID job = context.getJobID();
            ElasticJob elastic = ElasticJobs.get(job);
            if (elastic == null) {
                throw new IllegalStateException(
                        "job " + job + " has a rescale coordinator, but was not made elastic here");
            }
            return new VertexCoordinator(elastic, elastic.vertex(vertex));
        }
    }

    private final ElasticJob job;
    private final ElasticVertex vertex;

    VertexCoordinator(ElasticJob job, ElasticVertex vertex) {
        this.job = job;
        this.vertex = vertex;
    }

    @Override
    public void start() {}

    @Override
    public void close() {}

    @Override
    public void handleEventFromOperator(int subtask, int attemptNumber, OperatorEvent event) {
        throw new IllegalStateException(
                "events of tasks go to the elastic job directly, got " + event);
    }

    @Override
    public void checkpointCoordinator(long checkpoint, CompletableFuture<byte[]> result) {
        result.complete(vertex.snapshot(checkpoint));
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        vertex.completed(checkpoint);
        job.rescales().onCheckpointCompleted(checkpoint);
    }

    @Override
    public void resetToCheckpoint(long checkpoint, byte[] state) {
        job.interrupted(vertex, "the job went back to checkpoint " + checkpoint);
        vertex.restore(checkpoint, state);
        forgetRetired();
    }

    @Override
    public void subtaskReset(int subtask, long checkpoint) {
        job.interrupted(vertex, "a task failed");
        // Flink calls this for each subtask; only the first call of a failover changes anything.
        vertex.rollBack(checkpoint);
        forgetRetired();
    }

    @Override
    public void executionAttemptFailed(int subtask, int attemptNumber, Throwable reason) {
        job.interrupted(
                vertex,
                reason == null ? "a task failed" : "a task failed: " + Causes.message(reason));
    }

    @Override
    public void executionAttemptReady(int subtask, int attemptNumber, SubtaskGateway gateway) {}

    private void forgetRetired() {
        forgetRetired(vertex);
        job.followers(vertex).forEach(this::forgetRetired);
    }

    private void forgetRetired(GroupMember member) {
        job.retired().forget(member.id());
        job.figures().forget(member.id());
    }
}
