package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.KeptMetrics;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.rest.messages.JobVertexBackPressureInfo.SubtaskBackPressureInfo;

/**
 * The back pressure of a vertex is that of the subtasks in the store of metrics, which keeps those
 * of subtasks that have just retired ({@link AttemptsWithMetrics}).
 */
final class ShownBackPressure extends WovenPoint {

    ShownBackPressure() {
        super(
                "shown-back-pressure",
                "org.apache.flink.runtime.rest.handler.job.JobVertexBackPressureHandler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createSubtaskBackPressureInfo",
                                        "(Lorg/apache/flink/runtime/rest/handler/legacy/metrics/MetricStore$TaskMetricStore;Ljava/util/Map;)Ljava/util/List;"),
                                Subtasks.class)),
                List.of());
    }

    /** Of one vertex. */
    public static final class Subtasks {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(1) Map<Integer, Integer> representatives,
                @Advice.Return(readOnly = false) List<SubtaskBackPressureInfo> subtasks) {
            subtasks = KeptMetrics.withoutRetired(subtasks, representatives);
        }
    }
}
