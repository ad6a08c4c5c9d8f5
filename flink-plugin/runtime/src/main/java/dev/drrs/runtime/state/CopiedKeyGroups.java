package dev.drrs.runtime.state;

import java.io.IOException;

/**
 * The state of key groups as it was at one moment, of an operator that goes on with them. Timers
 * are not in it.
 *
 * <p>Hand-over: made by the mailbox thread; {@link #write} is for one other thread, which is given
 * it through something that orders memory. {@link KeyedStateMover#detach} of the key groups ends
 * it, else {@link #release} does: both in the mailbox thread, when nothing is written any more.
 */
public interface CopiedKeyGroups {

    /**
     * Writes one key group in chunks, as {@link DetachedKeyGroups#write}; none at all if it has no
     * state. At the other end the key group is not complete with that: what {@link
     * DetachedKeyGroups#write} sends of it afterwards is what has changed since.
     *
     * @throws IOException if an entry cannot be serialised, or from the sink
     * @throws InterruptedException from the sink
     */
    void write(int keyGroup, ChunkSink sink) throws IOException, InterruptedException;

    /** It has not been sent, or for nothing: what follows of the key groups is all of them. */
    void release();
}
