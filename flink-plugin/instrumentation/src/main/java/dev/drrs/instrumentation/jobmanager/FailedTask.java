package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * Says which task has failed before the restart strategy is asked: Flink does not tell it, and what
 * fails in a subtask that a rescale activates or retires is the rescale's.
 */
final class FailedTask extends WovenPoint {

    FailedTask() {
        super(
                "failed-task",
                "org.apache.flink.runtime.scheduler.DefaultScheduler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "onTaskFailed",
                                        "(Lorg/apache/flink/runtime/executiongraph/Execution;)V"),
                                Failed.class)),
                List.of());
    }

    /** Of any job. */
    public static final class Failed {
        @Advice.OnMethodEnter
        public static void enter(@Advice.Argument(0) Execution task) {
            JobManagerHooks.failed(task);
        }
    }
}
