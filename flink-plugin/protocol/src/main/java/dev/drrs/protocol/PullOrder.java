package dev.drrs.protocol;

/**
 * Which key groups of a subscale the new owner asks for, and how many ahead. Asked by the gate on
 * the task's thread; has no state.
 */
public interface PullOrder {

    /** How many key groups of a subscale are asked for at a time, at least 1. */
    int window();

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
    }
}
