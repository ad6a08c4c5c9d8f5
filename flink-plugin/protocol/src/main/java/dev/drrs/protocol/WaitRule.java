package dev.drrs.protocol;

/**
 * What a channel does on which an element waits, because the state of its key group or its
 * predecessor's confirm is still to come: is it read on, and what follows set aside, or does it
 * wait. Asked by the gate on the task's thread; has no state.
 *
 * <p>A channel that has nothing set aside is always read, whatever the rule says: so it is let go
 * on by the confirms of its own predecessor alone.
 */
public interface WaitRule {

    /**
     * Whether channels with something set aside wait.
     *
     * @param elements set aside on all channels: records, and watermarks and statuses between them
     * @param bytes of them, as the host gives them
     */
    boolean channelsWait(long elements, long bytes);
}
