package dev.drrs.instrumentation.jobmanager;

import dev.drrs.instrumentation.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobGraphRewrite;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.graph.ExecutionPlan;

/**
 * Says why a job that asks to be elastic is not: the adaptive scheduler rescales in its own way.
 */
final class AdaptiveSchedulerNotice extends WovenPoint {

    AdaptiveSchedulerNotice() {
        super(
                "adaptive-scheduler",
                "org.apache.flink.runtime.scheduler.adaptive.AdaptiveSchedulerFactory",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createInstance",
                                        "(Lorg/slf4j/Logger;Lorg/apache/flink/streaming/api/graph/ExecutionPlan;Ljava/util/concurrent/Executor;Lorg/apache/flink/configuration/Configuration;Lorg/apache/flink/runtime/jobmaster/slotpool/SlotPoolService;Ljava/util/concurrent/ScheduledExecutorService;Ljava/lang/ClassLoader;Lorg/apache/flink/runtime/checkpoint/CheckpointRecoveryFactory;Ljava/time/Duration;Lorg/apache/flink/runtime/blob/BlobWriter;Lorg/apache/flink/runtime/metrics/groups/JobManagerJobMetricGroup;Ljava/time/Duration;Lorg/apache/flink/runtime/shuffle/ShuffleMaster;Lorg/apache/flink/runtime/io/network/partition/JobMasterPartitionTracker;Lorg/apache/flink/runtime/jobmaster/ExecutionDeploymentTracker;JLorg/apache/flink/runtime/concurrent/ComponentMainThreadExecutor;Lorg/apache/flink/runtime/rpc/FatalErrorHandler;Lorg/apache/flink/runtime/executiongraph/JobStatusListener;Ljava/util/Collection;Lorg/apache/flink/runtime/blocklist/BlocklistOperations;)Lorg/apache/flink/runtime/scheduler/SchedulerNG;"),
                                CreateInstance.class)),
                List.of());
    }

    /** One line in the log. */
    public static final class CreateInstance {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(1) ExecutionPlan plan,
                @Advice.Argument(3) Configuration configuration) {
            JobGraphRewrite.adaptive(plan, configuration);
        }
    }
}
