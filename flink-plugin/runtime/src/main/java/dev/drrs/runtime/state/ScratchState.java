package dev.drrs.runtime.state;

/**
 * Keyed state and timers that belong to no operator and no job: for a rehearsal, which moves them
 * as a rescale moves those of an operator. Its range is all key groups. For one thread.
 */
public interface ScratchState extends AutoCloseable {

    int keyGroups();

    MovableState movable();

    /**
     * As an operator that processes a record of the key: changes its state of every kind and sets a
     * timer.
     *
     * @param timer event-time milliseconds
     */
    void process(String key, long timer) throws Exception;

    /**
     * As an operator that gets a watermark: fires what is due.
     *
     * @param clock event-time milliseconds
     */
    void watermark(long clock) throws Exception;

    /** Number of entries of state, of all key groups; timers do not count. */
    int entries();

    /** How many timers have fired. */
    long fired();
}
