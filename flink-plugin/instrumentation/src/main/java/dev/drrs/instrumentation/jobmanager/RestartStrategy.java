package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.jobgraph.JobGraph;

/**
 * Keeps failures that a rescale causes from the job's restart strategy: they would use up the
 * restarts that the job allows itself.
 */
final class RestartStrategy extends WovenPoint {

    RestartStrategy() {
        super(
                "restart-strategy",
                "org.apache.flink.runtime.scheduler.DefaultScheduler",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/slf4j/Logger;"
                                                + "Lorg/apache/flink/runtime/jobgraph/JobGraph;"
                                                + "Ljava/util/concurrent/Executor;"
                                                + "Lorg/apache/flink/configuration/Configuration;"
                                                + "Ljava/util/function/Consumer;"
                                                + "Lorg/apache/flink/util/concurrent/ScheduledExecutor;"
                                                + "Ljava/lang/ClassLoader;"
                                                + "Lorg/apache/flink/runtime/checkpoint/CheckpointsCleaner;"
                                                + "Lorg/apache/flink/runtime/checkpoint/CheckpointRecoveryFactory;"
                                                + "Lorg/apache/flink/runtime/metrics/groups/JobManagerJobMetricGroup;"
                                                + "Lorg/apache/flink/runtime/scheduler/strategy/SchedulingStrategyFactory;"
                                                + "Lorg/apache/flink/runtime/executiongraph/failover/FailoverStrategy$Factory;"
                                                + "Lorg/apache/flink/runtime/executiongraph/failover/RestartBackoffTimeStrategy;"
                                                + "Lorg/apache/flink/runtime/scheduler/ExecutionOperations;"
                                                + "Lorg/apache/flink/runtime/scheduler/ExecutionVertexVersioner;"
                                                + "Lorg/apache/flink/runtime/scheduler/ExecutionSlotAllocatorFactory;"
                                                + "J"
                                                + "Lorg/apache/flink/runtime/concurrent/ComponentMainThreadExecutor;"
                                                + "Lorg/apache/flink/runtime/executiongraph/JobStatusListener;"
                                                + "Ljava/util/Collection;"
                                                + "Lorg/apache/flink/runtime/scheduler/ExecutionGraphFactory;"
                                                + "Lorg/apache/flink/runtime/shuffle/ShuffleMaster;"
                                                + "Ljava/time/Duration;"
                                                + "Lorg/apache/flink/runtime/scheduler/VertexParallelismStore;"
                                                + "Lorg/apache/flink/runtime/scheduler/ExecutionDeployer$Factory;"
                                                + "Lorg/apache/flink/runtime/scheduler/adaptivebatch/ExecutionPlanSchedulingContext;"
                                                + ")V"),
                                Created.class)),
                List.of());
    }

    /** Of an elastic job. */
    public static final class Created {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(1) JobGraph job,
                @Advice.Argument(3) Configuration cluster,
                @Advice.Argument(value = 12, readOnly = false)
                        RestartBackoffTimeStrategy strategy) {
            strategy = JobManagerHooks.restartStrategy(job, cluster, strategy);
        }
    }
}
