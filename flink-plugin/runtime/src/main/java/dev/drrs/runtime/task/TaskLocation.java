package dev.drrs.runtime.task;

import dev.drrs.runtime.HookHolder;
import java.lang.invoke.VarHandle;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGateFactory;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.taskmanager.RuntimeEnvironment;
import org.apache.flink.runtime.taskmanager.Task;

/**
 * The TaskManager that a task runs in.
 *
 * @param resourceId the TaskManager's id, as text
 * @param host its external address
 * @param dataPort port its network stack listens at; 0 or less if at none (a cluster of one TaskManager)
 * @param shuffle its network stack
 */
public record TaskLocation(String resourceId, String host, int dataPort, NettyShuffleEnvironment shuffle) {

    private static final VarHandle TASK = Internals.field(RuntimeEnvironment.class, "containingTask", Task.class);
    private static final VarHandle GATE_FACTORY =
            Internals.field(NettyShuffleEnvironment.class, "singleInputGateFactory", SingleInputGateFactory.class);
    private static final VarHandle RESOURCE_ID =
            Internals.field(SingleInputGateFactory.class, "taskExecutorResourceId", ResourceID.class);

    static TaskLocation of(Environment environment) {
        Task task = (Task) TASK.get((RuntimeEnvironment) environment);
        NettyShuffleEnvironment shuffle = (NettyShuffleEnvironment) ((HookHolder) (Object) task).drrsHook();
        ResourceID id = (ResourceID) RESOURCE_ID.get((SingleInputGateFactory) GATE_FACTORY.get(shuffle));
        Object port = ((HookHolder) (Object) shuffle).drrsHook();
        return new TaskLocation(
                id.getResourceIdString(),
                environment.getTaskManagerInfo().getTaskManagerExternalAddress(),
                port == null ? -1 : (int) port,
                shuffle);
    }

    /** Called from the constructor of a task. */
    public static void taskCreated(Object task, ShuffleEnvironment<?, ?> shuffle) {
        // Another shuffle service can be configured; its jobs are refused before their tasks get here.
        ((HookHolder) task).drrsHook(shuffle);
    }

    /** Called from the network stack when it has started. */
    public static void shuffleStarted(Object shuffle, int dataPort) {
        ((HookHolder) shuffle).drrsHook(dataPort);
    }
}
