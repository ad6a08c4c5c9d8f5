package dev.drrs.protocol;

/**
 * Which key groups of a subscale the new owner asks for, and how many ahead. Asked by the gate on
 * the task's thread; has no state.
 */
public interface PullOrder {

    /** How many key groups of a subscale are asked for at a time, at least 1. */
    int window();

    /**
     * One that is asked for at once, whatever the window says; -1 for none. Asked whenever an
     * element has come that waits for state.
     */
    default int demanded(Missing missing) {
        return -1;
    }

    /** The next one; only called while there is a key group that has not been asked for. */
    int next(Missing missing);

    /** What a subscale lacks, at the moment of the call. */
    interface Missing {

        /** Of the subscale, in the order of the plan. */
        int[] keyGroups();

        boolean isRequested(int keyGroup);

        /** How many elements wait for the key group's state. */
        int waiting(int keyGroup);

        /** The key group of the record that holds up the exchange, or -1. */
        int firstOfExchange();

        int channels();

        /** The key group of the record that holds up a channel, or -1. */
        int firstOf(int channel);

        /**
         * The first key group that holds up the exchange or a channel and has not been asked for,
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
        default int firstOfPlan() {
            for (int keyGroup : keyGroups()) {
                if (!isRequested(keyGroup)) {
                    return keyGroup;
                }
            }
            throw new IllegalStateException("nothing is missing");
        }
    }
}
