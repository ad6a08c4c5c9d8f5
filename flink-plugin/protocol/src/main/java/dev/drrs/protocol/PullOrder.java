package dev.drrs.protocol;

/**
 * What of a subscale the new owner asks for, and how much ahead. What is asked for at a time is a
 * part: a key group, or if it comes in bins one bin of it, as a number: the key group times the
 * most bins that one has, plus the bin. Asked by the gate on the task's thread; has no state.
 */
public interface PullOrder {

    /**
     * How many parts of a subscale are asked for at a time, besides those that are demanded. 0:
     * none, until somebody waits for the end of the rescale.
     */
    int window();

    /** As {@link #window}, at least 1, from the time on that somebody waits for the end of it. */
    default int windowForTheRest() {
        return window();
    }

    /** Whether what nobody needs stays at the old owner until the rest is wanted. */
    default boolean leavesRest() {
        return window() == 0;
    }

    /**
     * Whether timers that are due demand their part. Then the old owner says when the first one of
     * each part is, and event time goes on downstream up to there.
     */
    default boolean heedsTimers() {
        return false;
    }

    /** In how many bins a key group comes, at least 1. Asked when a subscale is registered. */
    default int bins() {
        return 1;
    }

    /**
     * Which key groups come in bins because they are large, where {@link #bins} is 1. Asked by the
     * old owner when they leave; until then nobody knows, and a record waits for its key group.
     */
    default BinsBySize binsBySize() {
        return BinsBySize.NONE;
    }

    /**
     * One that is asked for at once, whatever the window says; -1 for none. Asked whenever an
     * element has come that waits for state, and if timers are heeded when event time has gone on.
     */
    default int demanded(Missing missing) {
        return -1;
    }

    /** The next one; only called while there is one that has not been asked for. */
    int next(Missing missing);

    /** What a subscale lacks, at the moment of the call. */
    interface Missing {

        /** Of the subscale, in the order of the plan. */
        int[] parts();

        boolean isRequested(int part);

        /** How many elements wait for the part's state. */
        int waiting(int part);

        /** The part that the record needs which holds up the exchange, or -1. */
        int firstOfExchange();

        int channels();

        /** The part that the record needs which holds up a channel, or -1. */
        int firstOf(int channel);

        /** The first that an element waits for, in any place, and that was not asked for; or -1. */
        int firstAwaited();

        /** One with a timer that is due and that has not been asked for, or -1. */
        int firstDue();

        /**
         * The first part that the exchange or a channel waits for and that has not been asked for,
         * or -1.
         */
        default int atHand() {
            int first = firstOfExchange();
            if (first >= 0 && !isRequested(first)) {
                return first;
            }
            for (int c = 0; c < channels(); c++) {
                int head = firstOf(c);
                if (head >= 0 && !isRequested(head)) {
                    return head;
                }
            }
            return -1;
        }

        /**
         * The first one in the order of the plan that has not been asked for.
         *
         * @throws IllegalStateException if all have been
         */
        int firstOfPlan();
    }
}
