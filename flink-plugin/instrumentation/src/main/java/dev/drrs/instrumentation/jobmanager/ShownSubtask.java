package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ShownFigures;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.SubtaskIndexPathParameter;

/**
 * The pages of one subtask find it by its index; they would take the index for a place among those
 * shown.
 */
final class ShownSubtask extends WovenPoint {

    ShownSubtask() {
        super(
                "shown-subtask",
                "org.apache.flink.runtime.rest.handler.job.AbstractSubtaskHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "handleRequest",
                                        "(Lorg/apache/flink/runtime/rest/handler/HandlerRequest;Lorg/apache/flink/runtime/executiongraph/AccessExecutionJobVertex;)Lorg/apache/flink/runtime/rest/messages/ResponseBody;"),
                                LookUp.class)),
                List.of());
    }

    /** A subtask is asked for. */
    public static final class LookUp {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(
                @Advice.Argument(0) HandlerRequest<EmptyRequestBody> request,
                @Advice.Argument(value = 1, readOnly = false) AccessExecutionJobVertex vertex) {
            vertex =
                    ShownFigures.forLookUp(
                            vertex, request.getPathParameter(SubtaskIndexPathParameter.class));
        }
    }
}
