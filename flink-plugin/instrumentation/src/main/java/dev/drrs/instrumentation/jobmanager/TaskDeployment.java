package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.SchedulerMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.io.IOException;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.PartitionLocationConstraint;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * Lets a consumer be deployed before a dormant producer, and tells each task which subtasks around
 * it are active.
 */
final class TaskDeployment extends WovenPoint {

    TaskDeployment() {
        super(
                "task-deployment",
                "org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/types/Either;Lorg/apache/flink/api/common/JobID;Lorg/apache/flink/runtime/deployment/TaskDeploymentDescriptorFactory$PartitionLocationConstraint;Lorg/apache/flink/runtime/blob/BlobWriter;ZI)V"),
                                Constraint.class),
                        new Woven(
                                Member.of(
                                        "createDeploymentDescriptor",
                                        "(Lorg/apache/flink/runtime/executiongraph/Execution;Lorg/apache/flink/runtime/clusterframework/types/AllocationID;Lorg/apache/flink/types/Either;Ljava/util/Collection;)Lorg/apache/flink/runtime/deployment/TaskDeploymentDescriptor;"),
                                Descriptor.class)),
                List.of(SchedulerMembers.TASK_INFORMATION));
    }

    /** Locations may be unknown in an elastic job. */
    public static final class Constraint {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(1) JobID job,
                @Advice.Argument(value = 2, readOnly = false)
                        PartitionLocationConstraint constraint) {
            constraint = JobManagerHooks.constraint(job, constraint);
        }
    }

    /** Adds the plug-in's entry. */
    public static final class Descriptor {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) Execution execution,
                @Advice.Return TaskDeploymentDescriptor descriptor)
                throws IOException {
            JobManagerHooks.describe(execution, descriptor);
        }
    }
}
