package dev.drrs.runtime.role;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Bounds what has come over the exchanges of a subtask and waits for its mailbox. At the bound the
 * threads that read them wait, each with a batch in its hands: the credit of their exchanges runs
 * out, the old owners' lanes fill, and those stop reading the channels that it comes from. Else
 * event time, which goes along with each open subscale, and what is re-routed would pile up here
 * while the mailbox keeps to its budget.
 *
 * <p>State is not counted: as much comes as was asked for. Nor is what the gate has taken. The
 * mailbox waits for no exchange, so it always comes to what the readers wait for.
 *
 * <p>Crossing point: reader threads hand over, the mailbox works off.
 */
final class Backlog {

    /** Of an element on the heap beside its bytes on the exchange, about. */
    static final int ELEMENT_BYTES = 64;

    private final Consumer<List<ThrowingRunnable<Exception>>> mailbox;
    private final long bound;
    private long waiting;

    /**
     * @param mailbox takes work, in order; any thread
     * @param bound in bytes
     */
    Backlog(Consumer<List<ThrowingRunnable<Exception>>> mailbox, long bound) {
        this.mailbox = mailbox;
        this.bound = Math.max(1, bound); // one batch at a time goes
    }

    /**
     * In the reader's thread: waits until less than the bound is there.
     *
     * @param bytes of the elements in the batch; with 0 it goes at once
     * @throws InterruptedException when the exchange is closed meanwhile
     */
    void hand(List<ThrowingRunnable<Exception>> batch, long bytes) throws InterruptedException {
        if (bytes == 0) {
            mailbox.accept(batch);
            return;
        }
        comes(bytes);
        List<ThrowingRunnable<Exception>> counted = new ArrayList<>(batch);
        counted.add(() -> done(bytes));
        mailbox.accept(counted);
    }

    private synchronized void comes(long bytes) throws InterruptedException {
        while (waiting >= bound) {
            wait();
        }
        waiting += bytes;
    }

    /** Mailbox thread. */
    private synchronized void done(long bytes) {
        waiting -= bytes;
        notifyAll();
    }
}
