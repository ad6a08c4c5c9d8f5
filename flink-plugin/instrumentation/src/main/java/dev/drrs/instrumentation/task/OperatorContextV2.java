package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.OperatorMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.ActiveTaskInfo;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * Tells the runtime context of an operator of the second kind (any number of inputs) which task it
 * belongs to.
 */
final class OperatorContextV2 extends WovenPoint {

    OperatorContextV2() {
        super(
                "operator-context-v2",
                "org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/streaming/api/operators/StreamOperatorParameters;I"
                                                + "Lorg/apache/flink/streaming/api/operators/AbstractStreamOperator$OutputAdjustment;)V"),
                                Created.class)),
                List.of(OperatorMembers.RUNTIME_CONTEXT_V2));
    }

    /** Once per operator. */
    public static final class Created {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) StreamOperatorParameters<?> parameters,
                @Advice.FieldValue("runtimeContext") StreamingRuntimeContext context) {
            ActiveTaskInfo.contextCreated(parameters.getContainingTask(), context);
        }
    }
}
