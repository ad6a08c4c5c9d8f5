package dev.drrs.protocol;

/**
 * What a channel does on which an element waits, because the state of its key group or its
 * predecessor's confirm is still to come: is it read on, and what follows set aside, or does it
 * wait. Asked by the gate on the task's thread; has no state.
 *
 * <p>A channel whose predecessor has not switched the subscale is always read, whatever the rule
 * says: that way it gets to its switch.
 */
public interface WaitRule {

    /**
     * Whether channels with something set aside wait.
     *
     * @param records set aside on all channels
     * @param elements those records, and watermarks and statuses between them
     * @param bytes of the elements, as the host gives them
     */
    boolean channelsWait(long records, long elements, long bytes);

    /**
     * Whether, as long as a record waits in a subscale and channels with something set aside wait,
     * all other channels wait as well whose predecessors have switched it. Then all predecessors
     * have to send the signals of subscales in the same order, as with {@link AlignedSignals}.
     */
    default boolean othersWait() {
        return false;
    }
}
