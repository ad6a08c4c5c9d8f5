package dev.drrs.runtime.role;

import dev.drrs.runtime.LostService;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Work that comes faster than a task should do it at a stretch, and records that have waited and
 * are let go many at a time: done in order, in mails that end after a while, and that follow each
 * other no faster than leaves room for the task's other records. While a mail waits Flink takes one
 * element of a channel at a time and looks again, so between two slices there is none, but for the
 * first looks. As long as no record waits the next slice begins at once; a record that comes
 * meanwhile, or the last one, is seen at the next look.
 *
 * <p>Each slice is for both in halves, unless there is one of them only; each begins every other
 * one, as a record or a key group may take longer than all of it. What a slice did for records that
 * had waited is not lost to the task, so the other records get as much time, not more.
 *
 * <p>Crossing point: any thread adds, the mailbox works it off.
 */
final class MailSlices {

    /** How long after one look whether records still wait the next one is. */
    static final long LOOK_NANOS = 1_000_000;

    /** How many looks are as soon as one element has been taken: often that was the last one. */
    static final int FIRST_LOOKS = 8;

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

    /** Records that have waited and need not any more. They come of work only. Mailbox thread. */
    interface Released {

        boolean hasReleased();

        /** Goes on with them, record by record, as long as {@link #takesMore}. */
        void takeReleased() throws Exception;
    }

    private final Host host;
    private final Released released;
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

    /** Looks since then. Mailbox thread. */
    private int looks;

    /** When the present slice began. Mailbox thread. */
    private long began;

    /** Which half of the slice is for what has been released. Mailbox thread. */
    private boolean releasedFirst;

    /** Whether released records are being taken. Mailbox thread. */
    private boolean taking;

    /**
     * @param afterEach ends each slice
     * @param clock as {@link System#nanoTime}
     * @param nanos after which a slice begins nothing more
     * @param budget of the task's time, while records wait
     * @param served what of a slice is the task's own work
     */
    MailSlices(
            Host host,
            Released released,
            ThrowingRunnable<Exception> afterEach,
            LongSupplier clock,
            long nanos,
            LostService budget,
            ServedTime served) {
        this.host = host;
        this.released = released;
        this.afterEach = afterEach;
        this.clock = clock;
        this.nanos = nanos;
        this.budget = budget;
        this.served = served;
    }

    void add(List<ThrowingRunnable<Exception>> work) {
        waiting.addAll(work);
        postIf(!waiting.isEmpty());
    }

    /** Whether there is time for one more record that has been released. Mailbox thread. */
    boolean takesMore() {
        long spent = clock.getAsLong() - began;
        return taking && spent < nanos && (waiting.isEmpty() || isTurnOfReleased(spent));
    }

    private boolean isTurnOfReleased(long spent) {
        return spent < nanos / 2 == releasedFirst;
    }

    private void postIf(boolean needed) {
        if (needed && posted.compareAndSet(false, true)) {
            host.execute(this::sliceOrWait);
        }
    }

    private void sliceOrWait() throws Exception {
        long left = rest == 0 ? 0 : rest - (clock.getAsLong() - ended);
        if (left > 0 && host.recordsWait()) {
            lookAgain(Math.min(left, LOOK_NANOS));
            return;
        }
        host.work(this::slice);
        posted.set(false);
        // More may wait, or have come since the last look.
        postIf(!waiting.isEmpty() || released.hasReleased());
    }

    private void lookAgain(long later) {
        if (looks++ < FIRST_LOOKS) {
            host.execute(this::sliceOrWait);
        } else {
            host.executeLater(this::sliceOrWait, later);
        }
    }

    private void slice() throws Exception {
        served.sliceBegins();
        began = clock.getAsLong();
        releasedFirst = !releasedFirst;
        boolean more = true;
        for (long spent = 0; more && spent < nanos; spent = clock.getAsLong() - began) {
            more =
                    isTurnOfReleased(spent)
                            ? takeReleased() || workOff()
                            : workOff() || takeReleased();
        }
        afterEach.run();
        ended = clock.getAsLong();
        long own = served.sliceEnds();
        // One that took longer was kept from the cores, or met code for the first time. State and
        // its records would wait for three times as long once more.
        rest = budget.restAfter(Math.min(ended - began - own, nanos)) + Math.min(own, nanos);
        looks = 0;
    }

    private boolean workOff() throws Exception {
        ThrowingRunnable<Exception> next = waiting.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    private boolean takeReleased() throws Exception {
        if (!released.hasReleased()) {
            return false;
        }
        taking = true;
        released.takeReleased();
        taking = false;
        return true;
    }
}
