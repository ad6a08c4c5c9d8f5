package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptor.NonOffloaded;
import org.apache.flink.runtime.executiongraph.TaskInformation;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.SerializedValue;

/** What a task is deployed with. JobMaster's main thread. */
public final class DeploymentAccess {

    /** Final in Flink: no constructor takes a descriptor and another information. */
    private static final MethodHandle TASK_INFORMATION =
            Handles.setter(SchedulerMembers.TASK_INFORMATION);

    private DeploymentAccess() {}

    public static void setTaskInformation(
            TaskDeploymentDescriptor descriptor, SerializedValue<TaskInformation> information) {
        try {
            TASK_INFORMATION.invoke(descriptor, new NonOffloaded<>(information));
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }
}
