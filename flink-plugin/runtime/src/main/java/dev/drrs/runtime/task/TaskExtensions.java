package dev.drrs.runtime.task;

import dev.drrs.runtime.rescale.TaskRescaler;
import java.util.function.Function;

/** Where the rescale logic says how its part of a task is made. */
public final class TaskExtensions {

    private static volatile Function<ElasticTask, TaskExtension> factory = TaskRescaler::new;

    private TaskExtensions() {}

    /** For every task that starts from here on. Thread safe. */
    public static void factory(Function<ElasticTask, TaskExtension> newFactory) {
        factory = newFactory;
    }

    /** The one in force. */
    public static Function<ElasticTask, TaskExtension> factory() {
        return factory;
    }

    static TaskExtension create(ElasticTask task) {
        return factory.apply(task);
    }
}
