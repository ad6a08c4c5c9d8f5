package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.KeptMetrics;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.runtime.scheduler.ExecutionGraphInfo;

/**
 * Has the metrics of a subtask that has just retired kept for a while. Flink drops those of an
 * attempt as soon as the job does not name it any more.
 */
final class AttemptsWithMetrics extends WovenPoint {

    AttemptsWithMetrics() {
        super(
                "attempts-with-metrics",
                "org.apache.flink.runtime.messages.webmonitor.JobDetails",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createDetailsForJob",
                                        "(Lorg/apache/flink/runtime/scheduler/ExecutionGraphInfo;)Lorg/apache/flink/runtime/messages/webmonitor/JobDetails;"),
                                Create.class)),
                List.of(Member.of("getCurrentExecutionAttempts", "()Ljava/util/Map;")));
    }

    /** On each fetch of metrics, and for the overview of jobs. */
    public static final class Create {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) ExecutionGraphInfo job, @Advice.Return JobDetails details) {
            KeptMetrics.addTo(details, job.getArchivedExecutionGraph());
        }
    }
}
