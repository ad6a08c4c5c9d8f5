package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldPersistence;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.checkpoint.SubtaskStateStats;

/**
 * The statistics of a vertex in a checkpoint have a place per active subtask; Flink takes the index
 * of a subtask for its place, and dormant ones between would count as having nothing to store.
 */
final class CheckpointTaskStatistics extends WovenPoint {

    CheckpointTaskStatistics() {
        super(
                "checkpoint-task-statistics",
                "org.apache.flink.runtime.checkpoint.TaskStateStats",
                FieldPersistence.PLAIN,
                List.of(
                        new Woven(
                                Member.of(
                                        "reportSubtaskStats",
                                        "(Lorg/apache/flink/runtime/checkpoint/SubtaskStateStats;)Z"),
                                Reported.class)),
                List.of(CheckpointMembers.NEW_SUBTASK_STATS));
    }

    /** A subtask has acknowledged or declined. */
    public static final class Reported {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(
                @Advice.FieldValue(Weaving.HOOK) Object subtasks,
                @Advice.Argument(value = 0, readOnly = false) SubtaskStateStats reported) {
            reported = DrrsCheckpointAccess.atPlace(subtasks, reported);
        }
    }
}
