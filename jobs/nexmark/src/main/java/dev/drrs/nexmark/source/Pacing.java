package dev.drrs.nexmark.source;

import java.io.Serializable;
import java.util.Set;

/**
 * How a source turns a schedule into emissions. Times are ms; the idle times are offsets from the
 * start of the run.
 *
 * @param paced false = emit as fast as possible
 * @param epochMs wall clock at which the schedule starts at the earliest; 0 = when every split is
 *     ready
 * @param startDelayMs time between the last split being ready and the start of the schedule
 * @param hold after the last event stay alive, with all event time passed
 * @param watermarkIntervalMs least advance of event time between two watermarks of a split
 * @param idleSplits these splits have no events from {@code idleFromMs} (inclusive) to {@code
 *     idleToMs} (exclusive) and are marked idle meanwhile
 * @param opening what changes when the outside says so
 */
public record Pacing(
        boolean paced,
        long epochMs,
        long startDelayMs,
        boolean hold,
        long watermarkIntervalMs,
        Set<Integer> idleSplits,
        long idleFromMs,
        long idleToMs,
        Opening opening)
        implements Serializable {

    /**
     * How long before its next event an idle split becomes active again. It must be active before
     * the other splits' watermarks reach that event, or the event would be late.
     */
    static final long REJOIN_MARGIN_MS = 1000;

    public Pacing {
        if (!idleSplits.isEmpty() && idleToMs - idleFromMs <= REJOIN_MARGIN_MS) {
            throw new IllegalArgumentException(
                    "The idle time must be longer than " + REJOIN_MARGIN_MS + " ms");
        }
    }

    /**
     * How long the source has to wait for what is due at this time, ms; not positive = not.
     *
     * @param offsetMs of the same from the start of the run
     */
    long aheadMs(long dueMs, long offsetMs) {
        if (!paced || mayHurry(offsetMs) && opening.isOpen()) {
            return 0;
        }
        long ahead = dueMs - System.currentTimeMillis();
        return opening.hurry() ? Math.min(ahead, Opening.POLL_MS) : ahead;
    }

    /** Not before idle splits have joined again: the others would leave their event time behind. */
    private boolean mayHurry(long offsetMs) {
        return opening.hurry() && (idleSplits.isEmpty() || offsetMs >= idleToMs + REJOIN_MARGIN_MS);
    }

    /** The same without idle splits. */
    public Pacing neverIdle() {
        return new Pacing(
                paced, epochMs, startDelayMs, hold, watermarkIntervalMs, Set.of(), 0, 0, opening);
    }
}
