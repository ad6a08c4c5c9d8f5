package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ShownCheckpoints;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.TaskStateStats;
import org.apache.flink.runtime.rest.messages.checkpoints.TaskCheckpointStatisticsWithSubtaskDetails;

/**
 * A checkpoint is shown with the indices of the subtasks that took part; they would be counted, as
 * their statistics have a place each ({@link CheckpointTaskStatistics}).
 */
final class ShownCheckpoint extends WovenPoint {

    ShownCheckpoint() {
        super(
                "shown-checkpoint",
                "org.apache.flink.runtime.rest.handler.job.checkpoints.TaskCheckpointStatisticDetailsHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createCheckpointDetails",
                                        "(Lorg/apache/flink/runtime/checkpoint/AbstractCheckpointStats;Lorg/apache/flink/runtime/checkpoint/TaskStateStats;)Lorg/apache/flink/runtime/rest/messages/checkpoints/TaskCheckpointStatisticsWithSubtaskDetails;"),
                                Details.class)),
                List.of());
    }

    /** Of one vertex in one checkpoint. */
    public static final class Details {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(1) TaskStateStats statistics,
                @Advice.Return TaskCheckpointStatisticsWithSubtaskDetails details) {
            ShownCheckpoints.index(statistics, details);
        }
    }
}
