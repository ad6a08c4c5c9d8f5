package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.rest.ArmedGauge;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;

/**
 * Lets each TaskManager say in its metrics that it is armed, so that a request can be refused where
 * one is not.
 */
final class ArmedTaskManagers extends WovenPoint {

    ArmedTaskManagers() {
        super(
                "armed-task-managers",
                "org.apache.flink.runtime.metrics.util.MetricUtils",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "instantiateTaskManagerMetricGroup",
                                        "(Lorg/apache/flink/runtime/metrics/MetricRegistry;Ljava/lang/String;Lorg/apache/flink/runtime/clusterframework/types/ResourceID;Ljava/util/Optional;)Lorg/apache/flink/api/java/tuple/Tuple2;"),
                                Instantiated.class)),
                List.of());
    }

    /** Adds the gauge. */
    public static final class Instantiated {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.Return Tuple2<TaskManagerMetricGroup, MetricGroup> groups) {
            ArmedGauge.register(groups.f0);
        }
    }
}
