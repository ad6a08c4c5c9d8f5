package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ShownFigures;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.SubtaskIndexQueryParameter;

/** As {@link ShownSubtask}, for the flame graph of one subtask. */
final class ShownFlameGraph extends WovenPoint {

    ShownFlameGraph() {
        super(
                "shown-flame-graph",
                "org.apache.flink.runtime.rest.handler.job.JobVertexFlameGraphHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "handleRequest",
                                        "(Lorg/apache/flink/runtime/rest/handler/HandlerRequest;Lorg/apache/flink/runtime/executiongraph/AccessExecutionJobVertex;)Lorg/apache/flink/runtime/webmonitor/threadinfo/VertexFlameGraph;"),
                                LookUp.class)),
                List.of());
    }

    /** A flame graph is asked for, of a vertex or one subtask. */
    public static final class LookUp {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(
                @Advice.Argument(0) HandlerRequest<EmptyRequestBody> request,
                @Advice.Argument(value = 1, readOnly = false) AccessExecutionJobVertex vertex) {
            vertex =
                    ShownFigures.forLookUp(
                            vertex,
                            ShownFigures.first(
                                    request.getQueryParameter(SubtaskIndexQueryParameter.class)));
        }
    }
}
