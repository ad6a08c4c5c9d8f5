package dev.drrs.runtime.state;

import java.io.IOException;

/**
 * State and timers of key groups that were taken out of an operator. Nothing changes them any more.
 *
 * <p>Hand-over: made by the mailbox thread, then used by one thread at a time; give it on through
 * something that orders memory (a queue, starting a thread). Serializers inside are duplicates, so
 * the mailbox may go on with its own.
 */
public interface DetachedKeyGroups {

    /** The key groups, in the order in which they were asked for. */
    int[] keyGroups();

    /** Number of state entries and timers of a key group. */
    long entries(int keyGroup);

    /**
     * When the first timers of each bin of a key group are due, before any of it is written: of bin
     * 0 the one of event time and the one of processing time, then those of bin 1, and so on.
     * Milliseconds; {@link Long#MAX_VALUE} for none, one less for a timer that is set to that.
     *
     * @param bins in how many the key group is divided, at least 1
     */
    long[] firstTimers(int keyGroup, int bins);

    /**
     * About how many bytes {@link #write} will send for a key group, from a few entries of each
     * state that are serialised and scaled up.
     *
     * @throws IOException if an entry cannot be serialised
     */
    long estimateBytes(int keyGroup) throws IOException;

    /**
     * Writes one key group in chunks: at least one, none larger than the chunk size of the mover,
     * the last one marked. May be called again, with the same result, as long as {@link #release}
     * was not called for the key group.
     *
     * @throws IOException if an entry cannot be serialised, or from the sink
     * @throws InterruptedException from the sink
     * @throws IllegalArgumentException if the key group is not among the detached ones or was
     *     released
     */
    default void write(int keyGroup, ChunkSink sink) throws IOException, InterruptedException {
        write(keyGroup, KeyBin.ALL, sink);
    }

    /**
     * As {@link #write(int, ChunkSink)}, one bin of a key group, which is of its own at the other
     * end. A key group that was copied ahead can only be written as a whole.
     */
    void write(int keyGroup, KeyBin bin, ChunkSink sink) throws IOException, InterruptedException;

    /** Lets go of a key group, so that its memory can be used again once it has arrived. */
    default void release(int keyGroup) {
        release(keyGroup, KeyBin.ALL);
    }

    /** As {@link #release(int)}, one bin that has been written. */
    void release(int keyGroup, KeyBin bin);
}
