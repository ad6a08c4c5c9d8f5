package dev.drrs.protocol;

import java.util.ArrayDeque;
import java.util.Objects;

/**
 * Keeps checkpoints and <em>sections</em> apart, by turns. A section is what no checkpoint may fall
 * into: opening channels, a subscale from its start until it is settled, closing channels.
 *
 * <p>A wanted checkpoint waits for the sections that run, and no new one begins before it; when it
 * has ended, all sections then waiting begin before the next one. So a section waits for at most
 * one checkpoint (of those that overlap: until none is pending, and none is added meanwhile) and a
 * checkpoint for at most one batch of sections. Single-threaded.
 */
public final class SectionTurns implements Sections {

    private final Runnable startCheckpoint;
    private final Runnable sectionsAwaited;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int running;
    private int pending;
    private boolean wanted;

    /** {@link #startCheckpoint} was called and has not been answered. */
    private boolean granted;

    private boolean sectionsTurn;

    /**
     * @param startCheckpoint called when a checkpoint that was wanted may start; to be answered by
     *     {@link #checkpointStarted} or {@link #checkpointNotStarted}, at once or later
     * @param sectionsAwaited called when a checkpoint waits for the sections that run, and again
     *     when more of them have begun in front of it
     */
    public SectionTurns(Runnable startCheckpoint, Runnable sectionsAwaited) {
        this.startCheckpoint = Objects.requireNonNull(startCheckpoint);
        this.sectionsAwaited = Objects.requireNonNull(sectionsAwaited);
    }

    @Override
    public void requestSection(Runnable begin) {
        waiting.add(begin);
        grant();
    }

    @Override
    public void sectionDone() {
        if (running == 0) {
            throw new IllegalStateException("no section is running");
        }
        running--;
        grant();
    }

    /** Whether a checkpoint may start now without having been {@link #checkpointWanted}. */
    public boolean mayStartCheckpoint() {
        return running == 0 && waiting.isEmpty();
    }

    /**
     * Takes the permission for a checkpoint to start now, if it may; to be answered by {@link
     * #checkpointStarted} or {@link #checkpointNotStarted}. Until then no section begins.
     */
    public boolean reserveCheckpoint() {
        if (granted || !mayStartCheckpoint()) {
            return false;
        }
        granted = true;
        return true;
    }

    /** Remembers the wish; several before it is granted are one. */
    public void checkpointWanted() {
        wanted = true;
        grant();
    }

    /** A checkpoint is pending from here on. */
    public void checkpointStarted() {
        if (running > 0) {
            throw new IllegalStateException(
                    "a checkpoint starts while " + running + " sections run");
        }
        granted = false;
        pending++;
    }

    /** The checkpoint that was granted does not start after all. */
    public void checkpointNotStarted() {
        granted = false;
        sectionsTurn = true;
        grant();
    }

    /** A pending checkpoint has completed, failed or been aborted. */
    public void checkpointEnded() {
        if (pending == 0) {
            throw new IllegalStateException("no checkpoint is pending");
        }
        pending--;
        sectionsTurn = true;
        grant();
    }

    /**
     * Whatever checkpoint was wanted, granted or pending is gone, as after a failover; sections go
     * on.
     */
    public void checkpointsGone() {
        wanted = false;
        granted = false;
        pending = 0;
        grant();
    }

    /** Sections that have begun and are not over. */
    public int running() {
        return running;
    }

    private void grant() {
        if (granted) {
            return;
        }
        boolean sectionsFirst = sectionsTurn && !waiting.isEmpty();
        if (pending > 0) {
            if (wanted && waiting.isEmpty()) {
                grantCheckpoint();
            }
        } else if (wanted && !sectionsFirst) {
            if (running == 0) {
                grantCheckpoint();
            } else {
                sectionsAwaited.run();
            }
        } else {
            sectionsTurn = false;
            ArrayDeque<Runnable> batch = new ArrayDeque<>(waiting);
            waiting.clear();
            running += batch.size(); // before any begins: one of them may be over at once
            batch.forEach(Runnable::run);
            if (wanted && running > 0) {
                sectionsAwaited.run();
            }
        }
    }

    private void grantCheckpoint() {
        wanted = false;
        granted = true;
        startCheckpoint.run();
    }
}
