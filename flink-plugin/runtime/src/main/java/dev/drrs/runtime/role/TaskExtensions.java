package dev.drrs.runtime.role;

import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.TaskExtension;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.taskexecutor.TaskManagerServices;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * How the part of a task that rescales is made: a task knows it as {@link TaskExtension} only. Task
 * thread, where nothing else is said.
 */
public final class TaskExtensions {

    private static volatile Function<ElasticTask, TaskExtension> factory =
            task -> new TaskRescaler(task);

    private TaskExtensions() {}

    /** For every task that starts from here on. Thread safe. */
    public static void factory(Function<ElasticTask, TaskExtension> newFactory) {
        factory = newFactory;
    }

    /** The one in force. Thread safe. */
    public static Function<ElasticTask, TaskExtension> factory() {
        return factory;
    }

    /**
     * Called when the services of a TaskManager are there.
     *
     * @param configuration of the TaskManager
     */
    public static void taskManagerStarted(
            TaskManagerServices services, Configuration configuration) {
        OwnerRehearsal.taskManagerStarted(services, configuration);
    }

    /** Called from the task when it starts to restore. */
    public static void restoring(StreamTask<?, ?> task) {
        ElasticTask.restoring(task, factory);
    }
}
