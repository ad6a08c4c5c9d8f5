package dev.drrs.runtime.state;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One key group, or one bin of it, on its way into an operator.
 *
 * <p>{@link #add} is for one transfer thread: it deserialises into objects that the operator does
 * not know yet. {@link #install} is for the mailbox thread, after the transfer thread has handed
 * the object over through something that orders memory. Several key groups may be filled in turn by
 * one thread, or at once by several threads.
 */
public interface IncomingKeyGroup {

    int subscale();

    int keyGroup();

    /** Which of its keys. */
    default KeyBin bin() {
        return KeyBin.ALL;
    }

    /**
     * Takes the next chunk. The buffer is read before the call returns and may be used again by the
     * caller.
     *
     * @return whether the key group is complete
     * @throws IOException if the chunk does not fit what was sent before, or an entry cannot be
     *     deserialised
     * @throws IllegalStateException if the key group is complete already
     */
    boolean add(ByteBuffer chunk) throws IOException;

    boolean isComplete();

    /** Number of state entries and timers it has so far, with those of a copy. */
    long entries();

    /**
     * Puts state and timers into the operator: a few steps per state, entries are not touched, plus
     * one insertion per timer; if other bins of the key group are there, one per entry as well.
     * Event-time timers of an open subscale (see {@link SubscaleTimers}) go to its own queue.
     * Overdue processing-time timers fire once, soon after.
     *
     * @throws IllegalStateException if the key group is not complete, was installed before, or the
     *     operator has state or timers of it already; nothing was changed then
     * @throws StateMismatchException if a state of that name exists here with another type or
     *     serializers that do not fit; nothing was changed then
     */
    void install() throws StateMismatchException;
}
