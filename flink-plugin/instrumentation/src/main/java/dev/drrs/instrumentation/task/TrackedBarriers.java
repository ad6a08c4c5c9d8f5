package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.BarrierChannels;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointableTask;

/**
 * Waits for the barriers of active producers in at-least-once checkpoints. Flink's waits for all:
 * none would complete.
 */
final class TrackedBarriers extends WovenPoint {

    TrackedBarriers() {
        super(
                "tracked-barriers",
                "org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierTracker",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(ILorg/apache/flink/runtime/jobgraph/tasks/CheckpointableTask;"
                                                + "Lorg/apache/flink/util/clock/Clock;Z)V"),
                                Created.class)),
                List.of(TaskMembers.TRACKED_CHANNELS));
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
