package dev.drrs.runtime.state;

/**
 * Number of entries and estimated bytes of each key group of an operator at one moment. Immutable.
 *
 * <p>An entry is what one key has under one namespace in one state (a whole list or map counts
 * once), or one timer.
 */
public final class StateSizes {

    private final int firstKeyGroup;
    private final long[] entries;
    private final long[] bytes;

    public StateSizes(int firstKeyGroup, long[] entries, long[] bytes) {
        this.firstKeyGroup = firstKeyGroup;
        this.entries = entries;
        this.bytes = bytes;
    }

    public int firstKeyGroup() {
        return firstKeyGroup;
    }

    public int numberOfKeyGroups() {
        return entries.length;
    }

    public long entries(int keyGroup) {
        return entries[keyGroup - firstKeyGroup];
    }

    /** Estimated size when serialised, without what is sent once per state. */
    public long bytes(int keyGroup) {
        return bytes[keyGroup - firstKeyGroup];
    }
}
