package dev.drrs.runtime.role;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Work that comes faster than a task should do it at a stretch: done in order, in mails that end
 * after a while. Between two of them other mails get their turn, and one element of a channel:
 * Flink emits no more at a stretch while a mail waits.
 *
 * <p>Crossing point: one thread adds, the mailbox works it off.
 */
final class MailSlices {

    private final Consumer<ThrowingRunnable<Exception>> mailbox;
    private final ThrowingRunnable<Exception> afterEach;
    private final LongSupplier clock;
    private final long nanos;
    private final ConcurrentLinkedQueue<ThrowingRunnable<Exception>> waiting =
            new ConcurrentLinkedQueue<>();

    /** Whether a mail is on its way that works off what waits. */
    private final AtomicBoolean posted = new AtomicBoolean();

    /**
     * @param mailbox runs a mail, or none any more if the task has ended
     * @param afterEach ends each mail
     * @param clock as {@link System#nanoTime}
     * @param nanos after which a mail begins nothing more
     */
    MailSlices(
            Consumer<ThrowingRunnable<Exception>> mailbox,
            ThrowingRunnable<Exception> afterEach,
            LongSupplier clock,
            long nanos) {
        this.mailbox = mailbox;
        this.afterEach = afterEach;
        this.clock = clock;
        this.nanos = nanos;
    }

    void add(List<ThrowingRunnable<Exception>> work) {
        waiting.addAll(work);
        postIfNeeded();
    }

    private void postIfNeeded() {
        if (!waiting.isEmpty() && posted.compareAndSet(false, true)) {
            mailbox.accept(this::slice);
        }
    }

    private void slice() throws Exception {
        long begin = clock.getAsLong();
        ThrowingRunnable<Exception> next;
        do {
            next = waiting.poll();
            if (next != null) {
                next.run();
            }
        } while (next != null && clock.getAsLong() - begin < nanos);
        afterEach.run();
        posted.set(false);
        postIfNeeded(); // more may wait, or have come since the last look
    }
}
