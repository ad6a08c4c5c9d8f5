package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.SectionTurns;
import dev.drrs.protocol.Sections;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;

/**
 * Lets checkpoints and the sections of a rescale take turns ({@link SectionTurns}).
 *
 * <p>A checkpoint or savepoint is delayed as a request, in Flink's own queue, so that the delay
 * counts neither against its time-out nor against its alignment.
 *
 * <p>Crossing point of two threads: the checkpoint coordinator's timer thread asks and tells
 * ({@link #mayStart}, {@link #chosen}, {@link #idle}), the JobMaster's main thread requests and
 * ends sections. All state is guarded by this object's monitor; sections begin in the main thread.
 */
public final class CheckpointGate implements Sections {

    private final SectionTurns turns =
            new SectionTurns(
                    () -> {
                        granted = true;
                        lookAgain();
                    });
    private int pending;
    private boolean wanted;
    private boolean granted;
    private Executor mainThread;
    private CheckpointCoordinator coordinator;

    /** Elsewhere: the coordinator's lock is taken before this object's monitor, never after it. */
    private void lookAgain() {
        CheckpointCoordinator target = coordinator;
        mainThread.execute(() -> DrrsCheckpointAccess.lookAgain(target));
    }

    /** Once, when the checkpoint coordinator is made; a job without checkpoints never calls it. */
    public synchronized void attach(CheckpointCoordinator created) {
        coordinator = created;
    }

    synchronized void start(Executor mainThreadExecutor) {
        mainThread = mainThreadExecutor;
    }

    /** Timer thread, before a queued request is chosen. */
    public synchronized boolean mayStart() {
        if (granted) {
            return true;
        }
        if (turns.reserveCheckpoint()) {
            granted = true;
            return true;
        }
        if (!wanted) {
            wanted = true;
            turns.checkpointWanted();
        }
        return false;
    }

    /**
     * Whether a request is being held back: a further periodic one would only pile up. Timer
     * thread.
     */
    public synchronized boolean isHolding() {
        return wanted;
    }

    /**
     * Timer thread, after a choice that was allowed: a request was taken, or there was none to
     * take.
     */
    public synchronized void chosen(boolean request) {
        if (!granted) {
            return; // a forced request that Flink takes beside others: it counts with them
        }
        granted = false;
        wanted = false;
        if (request) {
            turns.checkpointStarted();
            pending++;
        } else {
            turns.checkpointNotStarted();
        }
    }

    /** Timer thread: no checkpoint is being triggered and none is pending. */
    public synchronized void idle() {
        for (; pending > 0; pending--) {
            turns.checkpointEnded();
        }
    }

    /** Main thread: {@code begin} runs there as soon as the section may begin. */
    @Override
    public synchronized void requestSection(Runnable begin) {
        turns.requestSection(() -> mainThread.execute(begin));
    }

    /** Main thread: a section that began has ended. */
    @Override
    public synchronized void sectionDone() {
        turns.sectionDone();
    }

    /**
     * Main thread: a failover has ended what was being triggered or pending; a held request is
     * looked at again. Sections are their rescale's to end ({@link RunSections}).
     */
    synchronized void checkpointsGone() {
        pending = 0;
        granted = false;
        turns.checkpointsGone();
        if (wanted) {
            wanted = false;
            lookAgain();
        }
    }

    /** Whether the job takes checkpoints by itself. */
    synchronized boolean hasCheckpoints() {
        return coordinator != null && coordinator.isPeriodicCheckpointingConfigured();
    }

    /**
     * The latest completed checkpoint that failovers go back to, null if there is none. Main
     * thread.
     */
    CompletedCheckpoint latestCompleted() {
        CheckpointCoordinator source;
        synchronized (this) {
            source = coordinator;
        }
        try {
            List<CompletedCheckpoint> all =
                    source == null ? List.of() : source.getSuccessfulCheckpoints();
            return all.isEmpty() ? null : all.get(all.size() - 1);
        } catch (Exception e) {
            throw new IllegalStateException("the completed checkpoints cannot be listed", e);
        }
    }

    /** Where files may be read. */
    synchronized Executor ioExecutor() {
        return DrrsCheckpointAccess.ioExecutor(coordinator);
    }

    /** Asks for a checkpoint at once; nothing happens in a job without checkpoints. Main thread. */
    void triggerCheckpoint() {
        CheckpointCoordinator target;
        synchronized (this) {
            target = coordinator;
        }
        if (target != null && target.isPeriodicCheckpointingConfigured()) {
            target.triggerCheckpoint(false);
        }
    }
}
