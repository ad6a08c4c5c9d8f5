package dev.drrs.nexmark.source;

import org.apache.flink.api.connector.source.SourceSplit;

/**
 * Where one split stands. Immutable; this is all that a checkpoint holds of it.
 *
 * @param index which split of the workload
 * @param preloaded how many of its preload events have been emitted
 * @param position how many of its events have been emitted or, while idle, passed over
 * @param byteOffset where the next event starts in the part file; 0 if the events are generated
 * @param epochMs wall clock of schedule offset 0, or {@link #NO_EPOCH} before the schedule has
 *     started
 */
public record NexmarkSplit(
        int index, long preloaded, long position, long byteOffset, long epochMs, Idleness idleness)
        implements SourceSplit {

    public static final long NO_EPOCH = 0;

    /** Whether the split's idle time lies ahead, is now, or is over. */
    public enum Idleness {
        AHEAD,
        IDLE,
        OVER
    }

    /** A split that has emitted nothing yet. */
    public static NexmarkSplit fresh(int index) {
        return new NexmarkSplit(index, 0, 0, 0, NO_EPOCH, Idleness.AHEAD);
    }

    @Override
    public String splitId() {
        return Integer.toString(index);
    }
}
