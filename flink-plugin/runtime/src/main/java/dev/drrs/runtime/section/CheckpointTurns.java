package dev.drrs.runtime.section;

import dev.drrs.protocol.CheckpointHold;
import dev.drrs.protocol.SectionTurns;
import dev.drrs.protocol.Sections;
import dev.drrs.runtime.DrrsOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.util.concurrent.ScheduledExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets checkpoints and the sections of a rescale take turns ({@link SectionTurns}).
 *
 * <p>A checkpoint or savepoint is delayed as a request, in Flink's own queue, so that the delay
 * counts neither against its time-out nor against its alignment.
 *
 * <p>While key groups move, and for as long again, a periodic one is held back for a bounded time
 * besides ({@link CheckpointHold}), from before it asks for its turn: once it has asked, sections
 * wait for it, and it is not held any more. One that makes a completed rescale durable is owed
 * meanwhile, for no longer; a checkpoint that begins serves as well.
 *
 * <p>Crossing point of two threads: the checkpoint coordinator's timer thread asks and tells
 * ({@link #mayStart}, {@link #chosen}, {@link #idle}), the JobMaster's main thread requests and
 * ends sections and says when key groups move. All state is guarded by this object's monitor;
 * sections begin in the main thread.
 */
public final class CheckpointTurns implements Sections {

    /** What Flink chose of the requests that are queued. */
    public enum Chosen {
        NOTHING,
        /** A checkpoint that nobody has asked for. */
        PERIODIC,
        CHECKPOINT,
        /** Failovers do not go back to it. */
        SAVEPOINT
    }

    /** Below the id of any checkpoint. */
    public static final long NO_CHECKPOINT = 0;

    /** With less the main thread would do nothing else than look. */
    private static final long LEAST_PATIENCE_NANOS = 10_000_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointTurns.class);

    private final LongSupplier clock;

    /** Lets the coordinator look at its queue again. */
    private final Consumer<CheckpointCoordinator> look;

    /** Asks the coordinator for a checkpoint. */
    private final Consumer<CheckpointCoordinator> trigger;

    private final SectionTurns turns =
            new SectionTurns(
                    () -> {
                        granted = true;
                        lookAgain();
                    },
                    this::sectionsAwaited);

    /** Of the latest checkpoint or savepoint that has begun. */
    private long lastCreated = NO_CHECKPOINT;

    private int pending;

    /** Whether a savepoint is among those. */
    private boolean pendingSavepoint;

    /** {@link System#nanoTime}. */
    private long pendingSince;

    private boolean wanted;
    private boolean granted;
    private ScheduledExecutor mainThread;
    private long patienceNanos;
    private CheckpointCoordinator coordinator;
    private final CheckpointHold hold;

    /** Of rescales whose key groups move: run when a checkpoint waits for sections. */
    private final List<Runnable> awaited = new ArrayList<>();

    /** Whether a completed rescale is not durable yet, and no checkpoint has begun since. */
    private boolean owed;

    /** As the clock has it. */
    private long owedSince;

    /** Whether somebody will look whether the hold is over, and when, as the clock has it. */
    private boolean alarm;

    private long alarmAt;

    public CheckpointTurns() {
        this(System::nanoTime, DrrsCheckpointAccess::lookAgain, CheckpointTurns::trigger);
    }

    CheckpointTurns(
            LongSupplier clock,
            Consumer<CheckpointCoordinator> look,
            Consumer<CheckpointCoordinator> trigger) {
        this.clock = clock;
        this.look = look;
        this.trigger = trigger;
        this.hold = new CheckpointHold(clock);
    }

    /** Elsewhere: the coordinator's lock is taken before this object's monitor, never after it. */
    private void lookAgain() {
        CheckpointCoordinator target = coordinator;
        mainThread.execute(() -> look.accept(target));
    }

    /** Once, when the checkpoint coordinator is made; a job without checkpoints never calls it. */
    public synchronized void attach(CheckpointCoordinator created) {
        coordinator = created;
    }

    /**
     * @param patience how long a section waits for a checkpoint that may be cancelled
     * @param longestHold how long a periodic checkpoint is held back while key groups move; never
     *     longer than a checkpoint of the job may take
     */
    public synchronized void start(
            ScheduledExecutor mainThreadExecutor, Duration patience, Duration longestHold) {
        mainThread = mainThreadExecutor;
        long bound = longestHold.toNanos();
        if (coordinator != null) {
            long timeout = coordinator.getCheckpointTimeout();
            bound = Math.min(bound, TimeUnit.MILLISECONDS.toNanos(timeout));
        }
        hold.bound(bound);
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

    /**
     * Timer thread, before a queued request is chosen.
     *
     * @param periodic whether it is one that nobody has asked for
     */
    public synchronized boolean mayStart(boolean periodic) {
        if (granted) {
            return true;
        }
        if (periodic && !wanted && isHeld()) {
            return false;
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

    private boolean isHeld() {
        long left = hold.hold();
        if (left > 0) {
            lookIn(left);
        }
        return left > 0;
    }

    private void lookIn(long nanos) {
        long at = clock.getAsLong() + nanos;
        if (!alarm || at < alarmAt) { // sooner, as key groups move no longer
            alarm = true;
            alarmAt = at;
            mainThread.schedule(
                    this::lookAfterHold, nanos / NANOS_PER_MILLI + 1, TimeUnit.MILLISECONDS);
        }
    }

    /** Main thread. */
    private void lookAfterHold() {
        synchronized (this) {
            alarm = false;
            if (hold.isHolding()) {
                lookAgain();
            }
        }
        payOwed();
    }

    /** Elsewhere, as {@link #lookAgain}. */
    private void lookAtOwed() {
        if (owed) {
            mainThread.execute(this::payOwed);
        }
    }

    /**
     * Main thread: asks for the checkpoint that is owed if its time has come. One that is held goes
     * in its place; for one that waits for its turn see {@link #chosen}.
     */
    private void payOwed() {
        synchronized (this) {
            if (!owed || wanted || granted) {
                return;
            }
            long left = hold.left(owedSince);
            if (left > 0) {
                lookIn(left);
                return;
            }
            if (hold.isHolding()) {
                hold.release();
                lookAgain();
                return;
            }
            owed = false; // should it fail the next periodic one will do
        }
        triggerCheckpoint();
    }

    private void sectionsAwaited() {
        awaited.forEach(mainThread::execute);
    }

    /**
     * Main thread: key groups of one rescale more begin to move.
     *
     * @param sectionsAwaited runs in the main thread when a checkpoint waits for sections, maybe
     *     more than once and soon after {@link #movingEnds}
     */
    public synchronized void movingBegins(Runnable sectionsAwaited) {
        awaited.add(sectionsAwaited);
        hold.begin();
    }

    /**
     * Main thread: key groups of a rescale move no longer; a checkpoint held for them goes when
     * what has piled up meanwhile is worked off.
     *
     * @param sectionsAwaited as it was given
     */
    public synchronized void movingEnds(Runnable sectionsAwaited) {
        awaited.remove(sectionsAwaited);
        hold.end();
        waitsShorter();
    }

    private void waitsShorter() {
        if (hold.isHolding()) {
            lookAgain();
        }
        lookAtOwed();
    }

    /** For how long periodic checkpoints were held back because key groups moved. Any thread. */
    public synchronized Duration held() {
        return Duration.ofNanos(hold.total());
    }

    /** Timer thread: there is no request. */
    public synchronized void nothingQueued() {
        hold.gone();
        lookAtOwed();
    }

    /**
     * Whether a request is being held back: a further periodic one would only pile up. Timer
     * thread.
     */
    public synchronized boolean isHolding() {
        return wanted || hold.isHolding();
    }

    /**
     * Timer thread, after a choice that was allowed: a request was taken, or there was none to
     * take.
     */
    public synchronized void chosen(Chosen request) {
        if (!granted) {
            return; // a forced request that Flink takes beside others: it counts with them
        }
        granted = false;
        wanted = false;
        if (request == Chosen.PERIODIC) {
            hold.gone();
        }
        if (request == Chosen.NOTHING) {
            turns.checkpointNotStarted();
        } else {
            turns.checkpointStarted();
            pending++;
            pendingSince = clock.getAsLong();
            pendingSavepoint |= request == Chosen.SAVEPOINT;
        }
        owed &= request == Chosen.NOTHING || request == Chosen.SAVEPOINT;
        lookAtOwed();
    }

    /** Timer thread: no checkpoint is being triggered and none is pending. */
    public synchronized void idle() {
        pendingSavepoint = false;
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
        Request request = new Request(begin, withdrawn, clock.getAsLong());
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
                                    - clock.getAsLong();
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
     *
     * @param endRescale lets go of what a rescale that it took holds here
     */
    public void failedOver(Runnable endRescale) {
        checkpointsGone(); // before sections end: what that grants is not of before the failover
        endRescale.run();
    }

    /**
     * Main thread: nothing that has piled up while key groups moved is left to wait for, as a
     * failover has taken it, be it of a rescale that is under way or of one that is over.
     */
    public synchronized void calm() {
        hold.calm();
        waitsShorter();
    }

    private synchronized void checkpointsGone() {
        pending = 0;
        pendingSavepoint = false;
        granted = false;
        boolean heldBack = isHolding();
        wanted = false;
        hold.gone();
        turns.checkpointsGone();
        if (heldBack) {
            lookAgain();
        }
    }

    /** Whether a savepoint is under way, which nobody may cancel. Any thread. */
    public synchronized boolean isSavepointUnderWay() {
        return pendingSavepoint;
    }

    /** Whether the job takes checkpoints by itself. */
    public synchronized boolean hasCheckpoints() {
        return coordinator != null && coordinator.isPeriodicCheckpointingConfigured();
    }

    /** Of the job's checkpoints; null if there are none, or not in a file system. Main thread. */
    public Path checkpointDirectory() {
        CheckpointCoordinator source;
        synchronized (this) {
            source = coordinator;
        }
        return source != null
                        && source.getCheckpointStorage()
                                instanceof FsCheckpointStorageAccess storage
                ? storage.getCheckpointsDirectory()
                : null;
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

    /**
     * A rescale is complete: asks for the checkpoint that makes it durable as soon as no key groups
     * move and what has piled up while they did is worked off, or when it has waited for as long as
     * a periodic one is held. Not if another checkpoint begins before. Main thread.
     */
    public void triggerCheckpointWhenCalm() {
        synchronized (this) {
            if (!owed) {
                owed = true;
                owedSince = clock.getAsLong();
            }
        }
        payOwed();
    }

    /** Asks for a checkpoint at once; nothing happens in a job without checkpoints. Main thread. */
    public void triggerCheckpoint() {
        CheckpointCoordinator target;
        synchronized (this) {
            target = coordinator;
        }
        trigger.accept(target);
    }

    private static void trigger(CheckpointCoordinator target) {
        if (target != null && target.isPeriodicCheckpointingConfigured()) {
            target.triggerCheckpoint(false);
        }
    }
}
