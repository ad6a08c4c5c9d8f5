package dev.drrs.protocol;

import java.util.stream.LongStream;

/**
 * What is known of each key group of an operator, an entry for each.
 *
 * @param records sent for it so far
 * @param entries of its state
 * @param bytes of its state, an estimate
 */
public record KeyGroupLoad(long[] records, long[] entries, long[] bytes) {

    /** Of an operator of which nothing is known yet: all zero. */
    public static KeyGroupLoad unknown(int keyGroups) {
        return new KeyGroupLoad(new long[keyGroups], new long[keyGroups], new long[keyGroups]);
    }

    /** Whether any key group is known to have state. */
    boolean isKnown() {
        return LongStream.of(entries).anyMatch(some -> some > 0)
                || LongStream.of(bytes).anyMatch(some -> some > 0);
    }
}
