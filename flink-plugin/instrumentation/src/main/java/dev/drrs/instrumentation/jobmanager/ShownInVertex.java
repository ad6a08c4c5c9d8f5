package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.RestMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ShownFigures;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.rest.messages.JobVertexDetailsInfo;

/** As {@link ShownInJob}, for the sums on the page of the vertex. */
final class ShownInVertex extends WovenPoint {

    ShownInVertex() {
        super(
                "shown-in-vertex",
                "org.apache.flink.runtime.rest.handler.job.JobVertexDetailsHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createJobVertexDetailsInfo",
                                        "(Lorg/apache/flink/runtime/executiongraph/AccessExecutionJobVertex;Lorg/apache/flink/api/common/JobID;Lorg/apache/flink/runtime/rest/handler/legacy/metrics/MetricStore$JobMetricStoreSnapshot;)Lorg/apache/flink/runtime/rest/messages/JobVertexDetailsInfo;"),
                                Details.class)),
                List.of(RestMembers.AGGREGATED, RestMembers.AGGREGATED_METRICS));
    }

    /** Of one vertex. */
    public static final class Details {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) AccessExecutionJobVertex vertex,
                @Advice.Return(readOnly = false) JobVertexDetailsInfo details) {
            details = ShownFigures.inVertex(vertex, details);
        }
    }
}
