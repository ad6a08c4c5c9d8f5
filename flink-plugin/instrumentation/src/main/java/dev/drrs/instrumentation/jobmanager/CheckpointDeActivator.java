package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Keeps the de-activator from aborting all checkpoints and savepoints whenever a subtask is
 * activated.
 */
final class CheckpointDeActivator extends WovenPoint {

    CheckpointDeActivator() {
        super(
                "checkpoint-de-activator",
                "org.apache.flink.runtime.checkpoint.ExecutionTrackingCheckpointCoordinatorDeActivator",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/runtime/checkpoint/CheckpointCoordinator;)V"),
                                Created.class),
                        new Woven(
                                Member.of(
                                        "onStateUpdate",
                                        "(Lorg/apache/flink/runtime/executiongraph/ExecutionAttemptID;Lorg/apache/flink/runtime/execution/ExecutionState;Lorg/apache/flink/runtime/execution/ExecutionState;)V"),
                                StateUpdate.class)),
                List.of());
    }

    /** Takes the job over from the coordinator. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This Object deActivator,
                @Advice.Argument(0) CheckpointCoordinator coordinator) {
            JobManagerHooks.deActivator(deActivator, coordinator);
        }
    }

    /** Skips attempts that the plug-in activates, retires or keeps dormant. */
    public static final class StateUpdate {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue(Weaving.HOOK) Object hook,
                @Advice.Argument(0) ExecutionAttemptID attempt) {
            return JobManagerHooks.isQuiet(hook, attempt);
        }
    }
}
