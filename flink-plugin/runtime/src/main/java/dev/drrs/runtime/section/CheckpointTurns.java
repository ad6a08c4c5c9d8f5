package dev.drrs.runtime.section;

import dev.drrs.protocol.SectionTurns;
import dev.drrs.protocol.Sections;
import dev.drrs.runtime.DrrsOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.util.concurrent.ScheduledExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
public final class CheckpointTurns implements Sections {

    /** Below the id of any checkpoint. */
    public static final long NO_CHECKPOINT = 0;

    /** With less the main thread would do nothing else than look. */
    private static final long LEAST_PATIENCE_NANOS = 10_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointTurns.class);

    private final SectionTurns turns =
            new SectionTurns(
                    () -> {
                        granted = true;
                        lookAgain();
                    });

    /** Of the latest checkpoint or savepoint that has begun. */
    private long lastCreated = NO_CHECKPOINT;

    private int pending;

    /** {@link System#nanoTime}. */
    private long pendingSince;

    private boolean wanted;
    private boolean granted;
    private ScheduledExecutor mainThread;
    private long patienceNanos;
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

    /**
     * @param patience how long a section waits for a checkpoint that may be cancelled
     */
    public synchronized void start(ScheduledExecutor mainThreadExecutor, Duration patience) {
        mainThread = mainThreadExecutor;
        patienceNanos = Math.max(LEAST_PATIENCE_NANOS, patience.toNanos());
    }

    /** Timer thread: a checkpoint or savepoint has its id and is about to be triggered. */
    public synchronized void created(long checkpoint) {
        lastCreated = checkpoint;
    }

    /**
     * The id of the latest checkpoint that has begun, if failovers do not go back to it: it was
     * cancelled, or it is under way, or a savepoint. Otherwise {@link #NO_CHECKPOINT}. Main thread.
     */
    public long lastUnfinished() {
        CompletedCheckpoint completed = latestCompleted();
        synchronized (this) {
            return completed == null || completed.getCheckpointID() < lastCreated
                    ? lastCreated
                    : NO_CHECKPOINT;
        }
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
            pendingSince = System.nanoTime();
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
    public void requestSection(Runnable begin) {
        requestSection(begin, () -> false);
    }

    /** As {@link #requestSection(Runnable)}; {@code withdrawn} is asked there, too. */
    @Override
    public synchronized void requestSection(Runnable begin, BooleanSupplier withdrawn) {
        Request request = new Request(begin, withdrawn, System.nanoTime());
        turns.requestSection(request);
        if (!request.granted) {
            mainThread.schedule(() -> lookAfter(request), patienceNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** A section that is asked for. Guarded by the gate's monitor. */
    private final class Request implements Runnable {
        final Runnable begin;
        final BooleanSupplier withdrawn;
        final long since;
        boolean granted;

        Request(Runnable begin, BooleanSupplier withdrawn, long since) {
            this.begin = begin;
            this.withdrawn = withdrawn;
            this.since = since;
        }

        @Override
        public void run() {
            granted = true;
            mainThread.execute(begin);
        }
    }

    /**
     * Main thread: a checkpoint for which the section has waited long enough is cancelled. Under
     * back pressure its barriers may take as long as the rescale would help to avoid.
     */
    private void lookAfter(Request request) {
        CheckpointCoordinator target;
        synchronized (this) {
            if (request.granted || request.withdrawn.getAsBoolean()) {
                return;
            }
            long left =
                    pending == 0
                            ? patienceNanos
                            : Math.max(request.since, pendingSince)
                                    + patienceNanos
                                    - System.nanoTime();
            boolean enough = left <= 0;
            mainThread.schedule(
                    () -> lookAfter(request), enough ? patienceNanos : left, TimeUnit.NANOSECONDS);
            if (!enough) {
                return;
            }
            target = coordinator;
        }
        String why =
                "A rescale has waited for it for more than "
                        + TimeUnit.NANOSECONDS.toMillis(patienceNanos)
                        + " ms ("
                        + DrrsOptions.CHECKPOINT_PATIENCE.key()
                        + ").";
        int cancelled = DrrsCheckpointAccess.cancelPending(target, why);
        if (cancelled > 0) {
            LOG.info("Cancelled {} checkpoints. {}", cancelled, why);
            triggerCheckpoint(); // its turn comes after the section
        }
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
    public synchronized void checkpointsGone() {
        pending = 0;
        granted = false;
        turns.checkpointsGone();
        if (wanted) {
            wanted = false;
            lookAgain();
        }
    }

    /** Whether the job takes checkpoints by itself. */
    public synchronized boolean hasCheckpoints() {
        return coordinator != null && coordinator.isPeriodicCheckpointingConfigured();
    }

    /**
     * The latest completed checkpoint that failovers go back to, null if there is none. Main
     * thread.
     */
    public CompletedCheckpoint latestCompleted() {
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
    public synchronized Executor ioExecutor() {
        return DrrsCheckpointAccess.ioExecutor(coordinator);
    }

    /**
     * As {@link #triggerCheckpoint}, unless one is under way or waits for its turn. Main thread.
     */
    public void triggerCheckpointIfIdle() {
        boolean idle;
        synchronized (this) {
            idle = pending == 0 && !wanted && !granted;
        }
        if (idle) {
            triggerCheckpoint();
        }
    }

    /** Asks for a checkpoint at once; nothing happens in a job without checkpoints. Main thread. */
    public void triggerCheckpoint() {
        CheckpointCoordinator target;
        synchronized (this) {
            target = coordinator;
        }
        if (target != null && target.isPeriodicCheckpointingConfigured()) {
            target.triggerCheckpoint(false);
        }
    }
}
