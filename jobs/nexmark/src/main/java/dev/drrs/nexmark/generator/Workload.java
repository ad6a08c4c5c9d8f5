package dev.drrs.nexmark.generator;

import java.io.Serializable;

/**
 * Everything that decides which events a run has and when they are due.
 *
 * @param seed used in {@link Mode#MIXED} only
 * @param startNumber number of the first event
 * @param events how many; 0 = without end (not with {@link Layout#GENERATORS})
 * @param baseTimeMs event time at offset 0, epoch ms
 * @param disorderGroup events are shuffled within groups of this many per split; 1 = in order
 */
public record Workload(
        Mode mode,
        long seed,
        long startNumber,
        long events,
        Layout layout,
        int splits,
        RateSchedule schedule,
        long baseTimeMs,
        int disorderGroup)
        implements Serializable {

    /** 2015-07-15T00:00:00Z, where the event time of Nexmark starts. */
    public static final long NEXMARK_BASE_TIME_MS = 1_436_918_400_000L;

    /** How events are dealt out to splits. */
    public enum Layout {
        /**
         * Split i of n has the events whose index is i mod n; the schedule is that of the whole.
         */
        INTERLEAVED,
        /**
         * Beam's: split g has a block of consecutive numbers, and each split starts at the base
         * time.
         */
        GENERATORS
    }

    public Workload {
        if (splits < 1 || disorderGroup < 1 || events < 0 || startNumber < 0) {
            throw new IllegalArgumentException(
                    "Splits and disorder group must be at least 1, events and start number at least 0");
        }
        if (disorderGroup % SplitPlan.DISORDER_STRIDE == 0) {
            throw new IllegalArgumentException(
                    "The disorder group must not be a multiple of " + SplitPlan.DISORDER_STRIDE);
        }
        if (layout == Layout.GENERATORS && events < splits) {
            throw new IllegalArgumentException(
                    "With the layout of generators each split needs at least one event");
        }
    }

    /** The plan of split {@code index}, 0 to {@link #splits} - 1. */
    public SplitPlan split(int index) {
        if (index < 0 || index >= splits) {
            throw new IllegalArgumentException("No split " + index + " among " + splits);
        }
        return new SplitPlan(this, index);
    }
}
