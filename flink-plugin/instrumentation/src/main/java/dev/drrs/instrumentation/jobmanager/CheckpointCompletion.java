package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.job.RetiredState;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * Adds the lists that retired subtasks have left to each checkpoint. Only running subtasks take
 * part in it.
 */
final class CheckpointCompletion extends WovenPoint {

    CheckpointCompletion() {
        super(
                "checkpoint-completion",
                "org.apache.flink.runtime.checkpoint.PendingCheckpoint",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "finalizeCheckpoint",
                                        "(Lorg/apache/flink/runtime/checkpoint/CheckpointsCleaner;Ljava/lang/Runnable;Ljava/util/concurrent/Executor;)Lorg/apache/flink/runtime/checkpoint/CompletedCheckpoint;"),
                                Complete.class)),
                List.of(CheckpointMembers.PENDING_JOB, CheckpointMembers.PENDING_STATES));
    }

    /** Once per checkpoint. */
    public static final class Complete {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue("jobId") JobID job,
                @Advice.FieldValue("operatorStates") Map<OperatorID, OperatorState> states) {
            RetiredState.complete(job, states);
        }
    }
}
