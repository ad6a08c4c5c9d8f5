package dev.drrs.protocol;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.IntPredicate;

/**
 * When the timers of parts of a subscale are due that are still at the old owner: the first one of
 * each part, of one kind of time. They do not change there any more. On the task's thread.
 */
final class DueTimers {

    private record Due(long time, int part) {}

    /** What a part without a timer has. */
    static final long NEVER = Long.MAX_VALUE;

    private final PriorityQueue<Due> bySoonest =
            new PriorityQueue<>(Comparator.comparingLong(Due::time));

    /**
     * @param time milliseconds, or {@link #NEVER}
     */
    void add(int part, long time) {
        if (time != NEVER) {
            bySoonest.add(new Due(Math.max(time, Long.MIN_VALUE + 1), part));
        }
    }

    /** The last millisecond before {@link #first}; {@link #NEVER} without a timer. */
    long before(IntPredicate over) {
        long first = first(over);
        return first == NEVER ? NEVER : first - 1;
    }

    /**
     * Milliseconds, {@link #NEVER} without a timer: the first one of those that are left.
     *
     * @param over whether a part does not count any more; once it does not it never does again
     */
    long first(IntPredicate over) {
        while (!bySoonest.isEmpty() && over.test(bySoonest.peek().part)) {
            bySoonest.poll();
        }
        return bySoonest.isEmpty() ? NEVER : bySoonest.peek().time;
    }

    /**
     * The part of {@link #first} if that is due at the time, else -1.
     *
     * @param time milliseconds
     */
    int due(long time, IntPredicate over) {
        long first = first(over);
        return first != NEVER && first <= time ? bySoonest.peek().part : -1;
    }
}
