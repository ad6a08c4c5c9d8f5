package dev.drrs.runtime.peer;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.taskexecutor.TaskManagerServices;
import org.apache.flink.runtime.taskmanager.UnresolvedTaskManagerLocation;

/**
 * Which network belongs to a task. Filled by the instrumentation when a TaskManager starts, asked
 * by tasks; any thread.
 *
 * <p>The key is the TaskManager's {@link TaskEventDispatcher}: a task has its own TaskManager's one
 * in its {@link Environment}, and there is exactly one per TaskManager, also when several share a
 * JVM. Keys and values are weak: a TaskManager that went without {@link #stopped} is not kept
 * alive.
 */
public final class ShuffleEnvironments {

    /** {@link TaskEventDispatcher} has no {@code equals} of its own: this is an identity map. */
    private static final Map<TaskEventDispatcher, WeakReference<TaskManagerServices>> SERVICES =
            new WeakHashMap<>();

    private ShuffleEnvironments() {}

    /** To be called with what {@code TaskManagerServices.fromConfiguration(..)} returns. */
    public static void started(TaskManagerServices services) {
        synchronized (SERVICES) {
            SERVICES.put(services.getTaskEventDispatcher(), new WeakReference<>(services));
        }
    }

    /** To be called when {@code TaskManagerServices.shutDown()} starts or ends. */
    public static void stopped(TaskManagerServices services) {
        synchronized (SERVICES) {
            SERVICES.remove(services.getTaskEventDispatcher());
        }
    }

    /**
     * The network of the TaskManager that runs the task.
     *
     * @throws IllegalStateException if that TaskManager was not announced, or does not use Flink's
     *     own shuffle service
     */
    public static PeerNetwork of(Environment task) {
        TaskEventDispatcher dispatcher = task.getTaskEventDispatcher();
        WeakReference<TaskManagerServices> reference;
        synchronized (SERVICES) {
            reference = SERVICES.get(dispatcher);
        }
        TaskManagerServices services = reference == null ? null : reference.get();
        if (services == null) {
            throw new IllegalStateException(
                    "No network is known for the TaskManager of this task: TaskManagerServices.fromConfiguration was"
                            + " not instrumented, or the TaskManager has shut down.");
        }
        return networkOf(services);
    }

    /**
     * The network of a TaskManager.
     *
     * @throws IllegalStateException if it does not use Flink's own shuffle service
     */
    public static PeerNetwork networkOf(TaskManagerServices services) {
        ShuffleEnvironment<?, ?> shuffle = services.getShuffleEnvironment();
        if (!(shuffle instanceof NettyShuffleEnvironment netty)) {
            throw new IllegalStateException(
                    "Peer exchanges need Flink's own shuffle service, this TaskManager uses "
                            + shuffle.getClass().getName()
                            + ".");
        }
        UnresolvedTaskManagerLocation location = services.getUnresolvedTaskManagerLocation();
        return new PeerNetwork(
                netty,
                services.getTaskEventDispatcher(),
                location.getResourceID(),
                location.getExternalAddress(),
                location.getDataPort());
    }
}
