package dev.drrs.runtime.run;

import java.time.Duration;
import org.apache.flink.runtime.operators.coordination.TaskNotRunningException;
import org.apache.flink.util.ExceptionUtils;

/**
 * Tasks that a message of a rescale did not reach. Who cannot be reached has to fail, as the
 * rescale would wait for its answer for ever; but one that has ended by itself is no failure of the
 * rescale. Main thread.
 *
 * @param <T> a task
 */
final class LostTasks<T> {

    /** Within that the JobMaster hears of a task that has ended. */
    static final Duration NEWS_OF_AN_END = Duration.ofSeconds(10);

    /** The rescale and its tasks. */
    interface Host<T> {

        /** Whether a task that has ended was expected to: its end is the answer. */
        boolean isAnswer(T task);

        /** Whether nobody waits for an answer any more. */
        boolean isOver();

        boolean hasEnded(T task);

        void fail(T task, Throwable failure);

        void after(Duration time, Runnable action);
    }

    private final Host<T> host;

    LostTasks(Host<T> host) {
        this.host = host;
    }

    void add(T task, Throwable failure) {
        boolean ended =
                ExceptionUtils.findThrowable(failure, TaskNotRunningException.class).isPresent();
        if (ended && host.isAnswer(task)) {
            return;
        }
        if (ended) { // the news of that is under way, with the reason, which may be the rescale
            host.after(NEWS_OF_AN_END, () -> takeForLost(task, failure));
        } else {
            takeForLost(task, failure);
        }
    }

    private void takeForLost(T task, Throwable failure) {
        if (!host.isOver() && !host.hasEnded(task)) {
            host.fail(task, failure);
        }
    }
}
