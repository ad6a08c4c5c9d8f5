package dev.drrs.runtime.role;

import dev.drrs.runtime.task.ElasticTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slices in the mailbox of a task, which count as one kind of its mails. What is to come later
 * comes by a timer of the plug-in's: Flink's fires no more once the task has had all its data.
 *
 * @param timer stopped when the task ends
 * @param elementsWait whether the task has something to read
 */
record SlicesInTask(ElasticTask task, ScheduledExecutorService timer, BooleanSupplier elementsWait)
        implements MailSlices.Host {

    private static final Logger LOG = LoggerFactory.getLogger(SlicesInTask.class);
    private static final String KIND = "elements of a peer exchange";

    @Override
    public void execute(ThrowingRunnable<Exception> mail) {
        task.executeUncounted(mail, KIND);
    }

    @Override
    public void executeLater(ThrowingRunnable<Exception> mail, long nanos) {
        try {
            timer.schedule(() -> execute(mail), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("What waits for its turn is not done, the task ends.");
        }
    }

    @Override
    public boolean recordsWait() {
        return elementsWait.getAsBoolean();
    }

    @Override
    public void work(ThrowingRunnable<Exception> slice) throws Exception {
        task.mails().measure(KIND, slice);
    }
}
