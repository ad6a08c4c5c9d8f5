package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.SchedulerMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.scheduler.DefaultScheduler;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/**
 * Keeps dormant subtasks out of a deployment, at the start and after a failover; without it all
 * subtasks up to the ceiling would be deployed.
 */
final class DeploymentFilter extends WovenPoint {

    DeploymentFilter() {
        super(
                "deployment-filter",
                "org.apache.flink.runtime.scheduler.DefaultScheduler",
                false,
                List.of(
                        new Woven(
                                Member.of("allocateSlotsAndDeploy", "(Ljava/util/List;)V"),
                                Deploy.class),
                        new Woven(
                                Member.of(
                                        "onTaskFinished",
                                        "(Lorg/apache/flink/runtime/executiongraph/Execution;Lorg/apache/flink/runtime/executiongraph/IOMetrics;)V"),
                                TaskFinished.class)),
                List.of(
                        SchedulerMembers.SLOT_ALLOCATOR,
                        SchedulerMembers.SHARING_STRATEGY,
                        SchedulerMembers.SHARED_SLOTS,
                        SchedulerMembers.SLOT_PROVIDER,
                        SchedulerMembers.SLOT_CONTEXT,
                        SchedulerMembers.SLOT_POOL));
    }

    /** Drops dormant subtasks from the list. */
    public static final class Deploy {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This DefaultScheduler scheduler,
                @Advice.Argument(value = 0, readOnly = false) List<ExecutionVertexID> subtasks) {
            subtasks = JobManagerHooks.toDeploy(scheduler, subtasks);
        }
    }

    /**
     * Lets dormant subtasks of a vertex end with its active ones, or a bounded job would never end.
     */
    public static final class TaskFinished {
        @Advice.OnMethodExit
        public static void exit(@Advice.Argument(0) Execution execution) {
            JobManagerHooks.taskFinished(execution);
        }
    }
}
