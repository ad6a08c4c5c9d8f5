package dev.drrs.runtime.jobmanager;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;

/**
 * Keeps checkpoints and sections (opening channels, a started subscale, closing channels) apart, by turns: a checkpoint
 * request waits for the sections that run, then all waiting sections go before the next checkpoint.
 *
 * <p>The request is delayed before it starts, in Flink's own queue, so the delay counts neither against the checkpoint's
 * time-out nor against its alignment time.
 *
 * <p>Crossing point of two threads: the checkpoint coordinator's timer thread asks and tells ({@link #mayStart}, {@link
 * #chosen}, {@link #idle}), the JobMaster's main thread requests and ends sections. All state is guarded by this object's
 * monitor; sections begin in the main thread.
 */
public final class CheckpointGate {

    private final List<Runnable> waiting = new ArrayList<>();
    private int running;
    private boolean checkpointing;
    private boolean wanted;
    private boolean sectionsNext;
    private Executor mainThread;
    private CheckpointCoordinator coordinator;

    /** Once, when the checkpoint coordinator is made; a job without checkpoints never calls it. */
    public synchronized void attach(CheckpointCoordinator created) {
        coordinator = created;
    }

    synchronized void start(Executor mainThreadExecutor) {
        mainThread = mainThreadExecutor;
    }

    /** Timer thread, before a queued request is chosen. */
    public synchronized boolean mayStart() {
        if (running > 0 || (sectionsNext && !waiting.isEmpty())) {
            wanted = true;
            return false;
        }
        return true;
    }

    /** Whether another periodic request would only pile up: one waits already. Timer thread. */
    public synchronized boolean isHolding() {
        return wanted;
    }

    /** Timer thread, after a choice that was allowed: a request was taken, or there was none to take. */
    public synchronized void chosen(boolean request) {
        wanted = false;
        if (request) {
            checkpointing = true;
        } else {
            grant();
        }
    }

    /** Timer thread: no checkpoint is being triggered and none is pending. */
    public synchronized void idle() {
        if (checkpointing) {
            checkpointing = false;
            sectionsNext = true;
            grant();
        }
    }

    /** Main thread: {@code begin} runs there as soon as no checkpoint is under way and it is the sections' turn. */
    void request(Runnable begin) {
        synchronized (this) {
            waiting.add(begin);
            grant();
        }
    }

    /** Main thread: a section that began has ended. */
    void sectionDone() {
        synchronized (this) {
            running--;
            grant();
        }
    }

    /** Main thread: everything under way is over (failover); waiting sections are dropped, checkpoints go on. */
    void reset() {
        synchronized (this) {
            waiting.clear();
            running = 0;
            sectionsNext = false;
            grant();
        }
    }

    private void grant() {
        if (checkpointing || running > 0 && wanted) {
            return;
        }
        if (wanted && !(sectionsNext && !waiting.isEmpty())) {
            DrrsCheckpointAccess.lookAgain(coordinator);
            return;
        }
        sectionsNext = false;
        List<Runnable> now = new ArrayList<>(waiting);
        waiting.clear();
        running += now.size();
        now.forEach(mainThread::execute);
    }
}
