package dev.drrs.runtime.role;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * A task whose time passes only with what it does. As Flink's mailbox loop: the mails that are
 * there, then records until a mail waits, at least one.
 */
final class PlayedTask implements MailSlices.Host {

    static final long RECORD_NANOS = 20_000;

    /** Where {@link System#nanoTime} begins is anybody's guess. */
    private static final long BEGIN = -1_000_000_000_000L;

    private record Timer(long at, ThrowingRunnable<Exception> mail) {}

    private final Deque<ThrowingRunnable<Exception>> mailbox = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>((a, b) -> Long.compare(a.at, b.at));
    private long now;
    private long ownTime;
    private long counted;
    private int records;

    /** Nanoseconds since the beginning. */
    long now() {
        return now;
    }

    /** As {@link System#nanoTime}. */
    long clock() {
        return BEGIN + now;
    }

    /** Nanoseconds that went to records. */
    long ownTime() {
        return ownTime;
    }

    /** Nanoseconds that counted as work. */
    long counted() {
        return counted;
    }

    int mails() {
        return mailbox.size();
    }

    int timers() {
        return timers.size();
    }

    int waitingRecords() {
        return records;
    }

    void recordsThatWait(int more) {
        records += more;
    }

    void pass(long nanos) {
        now += nanos;
        while (!timers.isEmpty() && timers.peek().at <= now) {
            mailbox.add(timers.remove().mail);
        }
    }

    void runMail() throws Exception {
        mailbox.remove().run();
    }

    /** Once around the loop; without a record that waits, on to the next mail. */
    void turn() throws Exception {
        if (mailbox.isEmpty() && records == 0 && !timers.isEmpty()) {
            pass(timers.peek().at - now);
        }
        for (int batch = mailbox.size(); batch > 0; batch--) {
            runMail();
        }
        boolean first = true;
        while (records > 0 && (first || mailbox.isEmpty() && !timers.isEmpty())) {
            first = false;
            records--;
            ownTime += RECORD_NANOS;
            pass(RECORD_NANOS);
        }
    }

    @Override
    public void execute(ThrowingRunnable<Exception> mail) {
        mailbox.add(mail);
    }

    @Override
    public void executeLater(ThrowingRunnable<Exception> mail, long nanos) {
        timers.add(new Timer(now + nanos, mail));
    }

    @Override
    public boolean recordsWait() {
        return records > 0;
    }

    @Override
    public void work(ThrowingRunnable<Exception> slice) throws Exception {
        long begin = now;
        slice.run();
        counted += now - begin;
    }
}
