package dev.drrs.runtime.state;

/**
 * How much keyed state takes where its backend keeps it, and how much there is for more of it. Both
 * are estimates. Any thread.
 */
public interface StateRoom {

    /** Bytes by key group. */
    long[] taken(StateSizes sizes);

    /**
     * Bytes that are free for state, at least 0.
     *
     * @param wanted bytes; with less than that free it is worth a pause to count exactly
     */
    long free(long wanted);
}
