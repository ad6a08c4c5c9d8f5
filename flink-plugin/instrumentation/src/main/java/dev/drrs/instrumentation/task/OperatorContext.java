package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.OperatorMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ActiveTaskInfo;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/** Tells the runtime context of an operator with one or two inputs which task it belongs to. */
final class OperatorContext extends WovenPoint {

    OperatorContext() {
        super(
                "operator-context",
                "org.apache.flink.streaming.api.operators.AbstractStreamOperator",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "setup",
                                        "(Lorg/apache/flink/streaming/runtime/tasks/StreamTask;"
                                                + "Lorg/apache/flink/streaming/api/graph/StreamConfig;"
                                                + "Lorg/apache/flink/streaming/api/operators/Output;)V"),
                                Setup.class)),
                List.of(OperatorMembers.RUNTIME_CONTEXT));
    }

    /** Once per operator. */
    public static final class Setup {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) StreamTask<?, ?> task,
                @Advice.FieldValue("runtimeContext") StreamingRuntimeContext context) {
            ActiveTaskInfo.contextCreated(task, context);
        }
    }
}
