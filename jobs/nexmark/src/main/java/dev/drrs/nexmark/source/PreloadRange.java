package dev.drrs.nexmark.source;

import java.io.Serializable;

/**
 * The keys {@code firstKey .. firstKey + count - 1}, for which state is made before the schedule
 * starts.
 */
public record PreloadRange(long firstKey, long count) implements Serializable {

    public static final PreloadRange NONE = new PreloadRange(0, 0);

    /**
     * How many of the keys fall to a split; its i-th one is {@code firstKey + split + i * splits}.
     */
    long countOf(int split, int splits) {
        return (count - split + splits - 1) / splits;
    }

    long key(int split, int splits, long i) {
        return firstKey + split + i * splits;
    }
}
