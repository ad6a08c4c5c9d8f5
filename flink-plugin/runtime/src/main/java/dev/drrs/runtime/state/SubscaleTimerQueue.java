package dev.drrs.runtime.state;

import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/**
 * Stands in for the event-time timer queue of one timer service while subscales are open: timers of
 * an open subscale are kept apart, so that they can fire by the subscale's clock and the others by
 * the main clock.
 *
 * <p>Adding and removing go by the key group of the timer. {@link #peek}, {@link #poll} and {@link
 * #isEmpty} show only the main timers or only those of the {@linkplain #show shown} subscale;
 * {@link #size} and {@link #iterator} cover all timers. For the mailbox thread only.
 */
public interface SubscaleTimerQueue<K, N>
        extends KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> {

    /** Makes what stands in for a queue of the backend. */
    @FunctionalInterface
    interface Factory {
        <K, N> SubscaleTimerQueue<K, N> over(
                KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main,
                int maxParallelism);
    }

    /** The queue this one stands in for. */
    KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> main();

    /** Keeps the timers of these key groups apart from now on; those there already move over. */
    void open(int subscale, int[] keyGroups);

    /** Moves the timers of a subscale to the main ones. */
    void join(int subscale);

    /** Shows the timers of a subscale until {@link #showMain}. */
    void show(int subscale);

    /**
     * Shows the timers of one key group of an open subscale, or one bin of it, that are due at the
     * clock, with those that are added meanwhile, until {@link #showMain}. Until then timers of
     * other keys are not removed.
     *
     * @param clock event time in milliseconds
     */
    void showAlone(int keyGroup, KeyBin bin, long clock);

    void showMain();

    /** Makes the separate timers part of the snapshot of the backend that is taken next. */
    void beforeSnapshot();

    /** Undoes {@link #beforeSnapshot}. */
    void afterSnapshot();
}
