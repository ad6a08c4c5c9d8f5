package dev.drrs.runtime.run;

import dev.drrs.runtime.job.ElasticJob;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.flink.runtime.executiongraph.Execution;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks that a rescale sends messages to, as {@link LostTasks} needs them. Main thread.
 *
 * @param over whether nobody waits for an answer any more
 * @param answer whether a task that has ended was expected to
 */
record RunTasks(ElasticJob job, BooleanSupplier over, Predicate<Execution> answer)
        implements LostTasks.Host<Execution> {

    private static final Logger LOG = LoggerFactory.getLogger(RunTasks.class);

    @Override
    public boolean isAnswer(Execution task) {
        return answer.test(task);
    }

    @Override
    public boolean isOver() {
        return over.getAsBoolean();
    }

    @Override
    public boolean hasEnded(Execution task) {
        return task.getState().isTerminal();
    }

    @Override
    public void fail(Execution task, Throwable failure) {
        LOG.warn(
                "Task {} cannot be reached, it is taken for lost.",
                task.getVertexWithAttempt(),
                failure);
        task.fail(failure);
    }

    @Override
    public void after(Duration time, Runnable action) {
        job.mainThread().schedule(action, time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
