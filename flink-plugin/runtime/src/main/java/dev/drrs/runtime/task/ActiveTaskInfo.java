package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * What user code and sink operators of an elastic vertex see of their task: the number of active
 * subtasks as parallelism, not the ceiling. A global committer would wait for dormant ones for
 * ever. Flink's own parts ask the environment and go on seeing the ceiling. Mailbox thread only.
 *
 * <p>The index of a subtask is unchanged. After a scale-in it may not be below the number of active
 * ones.
 */
public final class ActiveTaskInfo implements TaskInfo {

    private final TaskInfo whole;
    private final ElasticTask task;

    private ActiveTaskInfo(TaskInfo whole, ElasticTask task) {
        this.whole = whole;
        this.task = task;
    }

    /** Called from an operator when its runtime context has been made. */
    public static void contextCreated(
            StreamTask<?, ?> streamTask, StreamingRuntimeContext context) {
        ElasticTask task = ElasticTask.of(streamTask);
        if (task != null && task.info().self() != null) {
            ((HookHolder) (Object) context)
                    .drrsHook(new ActiveTaskInfo(context.getTaskInfo(), task));
        }
    }

    /**
     * Called from a runtime context that is asked for its task.
     *
     * @param hook what hangs at the context
     */
    public static TaskInfo of(Object hook, TaskInfo whole) {
        return hook == null ? whole : (ActiveTaskInfo) hook;
    }

    @Override
    public int getNumberOfParallelSubtasks() {
        return task.activeSubtasks();
    }

    @Override
    public String getTaskName() {
        return whole.getTaskName();
    }

    @Override
    public int getMaxNumberOfParallelSubtasks() {
        return whole.getMaxNumberOfParallelSubtasks();
    }

    @Override
    public int getIndexOfThisSubtask() {
        return whole.getIndexOfThisSubtask();
    }

    @Override
    public int getAttemptNumber() {
        return whole.getAttemptNumber();
    }

    @Override
    public String getTaskNameWithSubtasks() {
        return whole.getTaskNameWithSubtasks();
    }

    @Override
    public String getAllocationIDAsString() {
        return whole.getAllocationIDAsString();
    }
}
