package dev.drrs.runtime.role;

import dev.drrs.runtime.LostService;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Work that comes faster than a task should do it at a stretch: done in order, in mails that end
 * after a while, and that follow each other no faster than the task's records leave room for. While
 * a mail waits Flink takes one element of a channel at a time and looks again, so between two
 * slices there is none. As long as no record waits the next slice begins at once; a record that
 * comes meanwhile, or the last one, is seen at the next look. What a slice did for records that had
 * waited is not held against it.
 *
 * <p>Crossing point: any thread adds, the mailbox works it off.
 */
final class MailSlices {

    /** How long after one look whether records still wait the next one is. */
    static final long LOOK_NANOS = 1_000_000;

    /** The task whose mailbox it is done in. */
    interface Host {

        /** Runs a mail, or none any more if the task has ended. Any thread. */
        void execute(ThrowingRunnable<Exception> mail);

        /** As {@link #execute}, after so many nanoseconds. Mailbox thread. */
        void executeLater(ThrowingRunnable<Exception> mail, long nanos);

        /** Whether the task has records to go on with. Mailbox thread. */
        boolean recordsWait();

        /** Runs what keeps the task from its records; looks do not. Mailbox thread. */
        void work(ThrowingRunnable<Exception> slice) throws Exception;
    }

    private final Host host;
    private final ThrowingRunnable<Exception> afterEach;
    private final LongSupplier clock;
    private final long nanos;
    private final LostService budget;
    private final ServedTime served;

    /** Bounded by those who add, see {@link Backlog}. */
    private final ConcurrentLinkedQueue<ThrowingRunnable<Exception>> waiting =
            new ConcurrentLinkedQueue<>();

    /** Whether a mail is on its way that works off what waits. */
    private final AtomicBoolean posted = new AtomicBoolean();

    /** When the last slice ended; nothing before the first one. Mailbox thread. */
    private long ended;

    /** How long after that the task's records come first, nanoseconds. Mailbox thread. */
    private long rest;

    /**
     * @param afterEach ends each slice
     * @param clock as {@link System#nanoTime}
     * @param nanos after which a slice begins nothing more
     * @param budget of the task's time, while records wait
     * @param served what of a slice is the task's own work
     */
    MailSlices(
            Host host,
            ThrowingRunnable<Exception> afterEach,
            LongSupplier clock,
            long nanos,
            LostService budget,
            ServedTime served) {
        this.host = host;
        this.afterEach = afterEach;
        this.clock = clock;
        this.nanos = nanos;
        this.budget = budget;
        this.served = served;
    }

    void add(List<ThrowingRunnable<Exception>> work) {
        waiting.addAll(work);
        postIfNeeded();
    }

    private void postIfNeeded() {
        if (!waiting.isEmpty() && posted.compareAndSet(false, true)) {
            host.execute(this::sliceOrWait);
        }
    }

    private void sliceOrWait() throws Exception {
        long left = rest == 0 ? 0 : rest - (clock.getAsLong() - ended);
        if (left > 0 && host.recordsWait()) {
            host.executeLater(this::sliceOrWait, Math.min(left, LOOK_NANOS));
            return;
        }
        host.work(this::slice);
        posted.set(false);
        postIfNeeded(); // more may wait, or have come since the last look
    }

    private void slice() throws Exception {
        served.sliceBegins();
        long begin = clock.getAsLong();
        ThrowingRunnable<Exception> next;
        do {
            next = waiting.poll();
            if (next != null) {
                next.run();
            }
        } while (next != null && clock.getAsLong() - begin < nanos);
        afterEach.run();
        ended = clock.getAsLong();
        long lost = ended - begin - served.sliceEnds();
        // One that took longer was kept from the cores, or met code for the first time. State and
        // its records would wait for three times as long once more.
        rest = budget.restAfter(Math.min(lost, nanos));
    }
}
