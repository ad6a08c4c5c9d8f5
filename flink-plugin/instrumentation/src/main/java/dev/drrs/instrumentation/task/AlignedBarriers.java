package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.BarrierChannels;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointableTask;

/**
 * Waits for the barriers of active producers in exactly-once checkpoints. Flink's waits for all:
 * none would complete.
 */
final class AlignedBarriers extends WovenPoint {

    AlignedBarriers() {
        super(
                "aligned-barriers",
                "org.apache.flink.streaming.runtime.io.checkpointing.SingleCheckpointBarrierHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Ljava/lang/String;Lorg/apache/flink/runtime/jobgraph/tasks/CheckpointableTask;"
                                                + "Lorg/apache/flink/streaming/runtime/tasks/SubtaskCheckpointCoordinator;"
                                                + "Lorg/apache/flink/util/clock/Clock;I"
                                                + "Lorg/apache/flink/streaming/runtime/io/checkpointing/BarrierHandlerState;Z"
                                                + "Lorg/apache/flink/streaming/runtime/io/checkpointing/BarrierAlignmentUtil$DelayableTimer;"
                                                + "[Lorg/apache/flink/runtime/io/network/partition/consumer/CheckpointableInput;Z)V"),
                                Created.class)),
                List.of(TaskMembers.ALIGNED_CHANNELS));
    }

    /** One per task. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This Object handler, @Advice.Argument(1) CheckpointableTask task) {
            BarrierChannels.created(handler, task);
        }
    }
}
