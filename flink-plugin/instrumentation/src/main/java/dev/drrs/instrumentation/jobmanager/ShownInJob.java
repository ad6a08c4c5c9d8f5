package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ShownFigures;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;

/**
 * The figures of a vertex on the page of its job: with what retired subtasks have counted, or they
 * would go back at each scale-in.
 */
final class ShownInJob extends WovenPoint {

    ShownInJob() {
        super(
                "shown-in-job",
                "org.apache.flink.runtime.rest.handler.job.JobDetailsHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createJobVertexDetailsInfo",
                                        "(Lorg/apache/flink/runtime/executiongraph/AccessExecutionJobVertex;JLorg/apache/flink/api/common/JobID;Lorg/apache/flink/runtime/rest/handler/legacy/metrics/MetricStore$JobMetricStoreSnapshot;)Lorg/apache/flink/runtime/rest/messages/job/JobDetailsInfo$JobVertexDetailsInfo;"),
                                Details.class)),
                List.of(
                        Member.of(
                                "org.apache.flink.runtime.rest.messages.job.metrics.IOMetricsInfo",
                                "<init>",
                                "(JZJZJZJZJJD)V")));
    }

    /** Of one vertex. */
    public static final class Details {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) AccessExecutionJobVertex vertex,
                @Advice.Return(readOnly = false) JobDetailsInfo.JobVertexDetailsInfo details) {
            details = ShownFigures.inJob(vertex, details);
        }
    }
}
