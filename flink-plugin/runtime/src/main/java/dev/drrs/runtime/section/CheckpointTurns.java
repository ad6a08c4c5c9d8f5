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
 * wait for it, and it is not held any more.
 *
 * <p>Crossing point of two threads: the checkpoint coordinator's timer thread asks and tells
 * ({@link #mayStart}, {@link #chosen}, {@link #idle}), the JobMaster's main thread requests and
 * ends sections and says when key groups move. All state is guarded by this object's monitor;
 * sections begin in the main thread.
 */
public final class CheckpointTurns implements Sections {

    /** Below the id of any checkpoint. */
    public static final long NO_CHECKPOINT = 0;

    /** With less the main thread would do nothing else than look. */
    private static final long LEAST_PATIENCE_NANOS = 10_000_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointTurns.class);

    private final LongSupplier clock;

    /** Lets the coordinator look at its queue again. */
    private final Consumer<CheckpointCoordinator> look;

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

    /** Whether somebody will look whether the hold is over, and when, as the clock has it. */
    private boolean alarm;

    private long alarmAt;

    public CheckpointTurns() {
        this(System::nanoTime, DrrsCheckpointAccess::lookAgain);
    }

    CheckpointTurns(LongSupplier clock, Consumer<CheckpointCoordinator> look) {
        this.clock = clock;
        this.look = look;
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
        long at = clock.getAsLong() + left;
        if (left > 0 && (!alarm || at < alarmAt)) { // sooner, as key groups move no longer
            alarm = true;
            alarmAt = at;
            mainThread.schedule(
                    this::lookAfterHold, left / NANOS_PER_MILLI + 1, TimeUnit.MILLISECONDS);
        }
        return left > 0;
    }

    /** Main thread. */
    private synchronized void lookAfterHold() {
        alarm = false;
        if (hold.isHolding()) {
            lookAgain();
        }
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
        if (hold.isHolding()) {
            lookAgain();
        }
    }

    /** For how long periodic checkpoints were held back because key groups moved. Any thread. */
    public synchronized Duration held() {
        return Duration.ofNanos(hold.total());
    }

    /** Timer thread: there is no request. */
    public synchronized void nothingQueued() {
        hold.gone();
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
     *
     * @param periodic whether it is a request that nobody has asked for
     */
    public synchronized void chosen(boolean request, boolean periodic) {
        if (!granted) {
            return; // a forced request that Flink takes beside others: it counts with them
        }
        granted = false;
        wanted = false;
        if (periodic) {
            hold.gone();
        }
        if (request) {
            turns.checkpointStarted();
            pending++;
            pendingSince = clock.getAsLong();
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
     */
    public synchronized void checkpointsGone() {
        pending = 0;
        granted = false;
        boolean heldBack = isHolding();
        wanted = false;
        hold.gone();
        hold.calm();
        turns.checkpointsGone();
        if (heldBack) {
            lookAgain();
        }
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
     * As {@link #triggerCheckpoint}, as soon as what has piled up while key groups moved is worked
     * off; not if one that is held will go then. Main thread.
     */
    public void triggerCheckpointWhenCalm() {
        long left;
        synchronized (this) {
            if (hold.isHolding()) {
                return;
            }
            left = hold.untilCalm();
        }
        if (left > 0) {
            mainThread.schedule(
                    this::triggerCheckpointWhenCalm,
                    left / NANOS_PER_MILLI + 1,
                    TimeUnit.MILLISECONDS);
        } else {
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
