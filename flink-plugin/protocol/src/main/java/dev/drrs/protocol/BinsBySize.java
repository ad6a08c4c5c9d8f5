package dev.drrs.protocol;

/**
 * Large key groups come in bins, so that a record waits for a piece of about the same size whatever
 * the size of its key group; the others come as a whole. No state, any thread.
 *
 * @param from bytes, estimated, above which a key group is large
 * @param size bytes of a bin, about; 0: all key groups come as a whole
 */
public record BinsBySize(long from, long size) {

    public static final BinsBySize NONE = new BinsBySize(Long.MAX_VALUE, 0);

    /** Of a key group, however large it is: the new owner keeps account of each. */
    static final int MOST = 1024;

    public BinsBySize {
        if (from < 0 || size < 0) {
            throw new IllegalArgumentException("bins of " + size + " bytes above " + from);
        }
    }

    boolean isWanted() {
        return size > 0;
    }

    /**
     * In how many bins a key group comes.
     *
     * @param bytes its estimated size
     * @return from 1 to {@link #MOST}
     */
    int of(long bytes) {
        return isWanted() && bytes > from ? (int) Math.min(MOST, 1 + (bytes - 1) / size) : 1;
    }
}
