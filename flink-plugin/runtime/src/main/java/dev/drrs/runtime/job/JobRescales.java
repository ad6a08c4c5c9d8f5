package dev.drrs.runtime.job;

import dev.drrs.runtime.answer.RescaleHistory;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * What an {@link ElasticJob} tells and asks whoever rescales it: the job knows no rescale, so that
 * what is known of a job can be read without them. JobMaster main thread.
 */
public interface JobRescales {

    /** The scheduler is known and runs. */
    void started();

    /**
     * A request of the plug-in's REST handlers.
     *
     * @return null for one that is none
     */
    CompletableFuture<CoordinationResponse> answer(CoordinationRequest request);

    /** A task of the job says something to the plug-in. */
    void onTaskEvent(ExecutionAttemptID attempt, OperatorEvent event);

    /** A task's state has changed. */
    void onTaskState(ExecutionAttemptID attempt, ExecutionState state);

    /** A subtask of an elastic vertex has come to the end of its data. */
    void onEndOfData(ExecutionAttemptID attempt);

    /** A subtask that a rescale under way retires has ended. */
    void onRetired(Execution execution);

    /** A subtask of the vertex, or of one that scales with it, has retired and left lists. */
    void onListsLeft(ElasticVertex vertex);

    /**
     * The job is to be drained: all its data end.
     *
     * @return done when it may be, null if at once
     */
    CompletableFuture<Void> beforeDrain();

    /** A checkpoint or savepoint of the job is complete. */
    void onCheckpointCompleted(long checkpoint);

    /** A failover took hold of the vertex: its rescale is over, and maybe another one follows. */
    void interrupted(ElasticVertex vertex, String reason);

    /** All that is known of the job's rescales, as it will be for ever in this end state. */
    RescaleHistory historyAtEnd(JobStatus state);

    /** The JobMaster stops. */
    void closed();
}
