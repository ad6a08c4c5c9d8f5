package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ActiveTaskInfo;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.common.TaskInfo;

/**
 * User code and sinks see the number of active subtasks. Flink's task has the ceiling as its
 * parallelism.
 */
final class ActiveParallelism extends WovenPoint {

    ActiveParallelism() {
        super(
                "active-parallelism",
                "org.apache.flink.api.common.functions.util.AbstractRuntimeUDFContext",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "getTaskInfo", "()Lorg/apache/flink/api/common/TaskInfo;"),
                                See.class)),
                List.of());
    }

    /** For each question. */
    public static final class See {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("drrsHook") Object context,
                @Advice.Return(readOnly = false) TaskInfo info) {
            info = ActiveTaskInfo.of(context, info);
        }
    }
}
