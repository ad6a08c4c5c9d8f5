package dev.drrs.runtime.task;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.runtime.io.DataInputStatus;

/**
 * What the rescale logic does in a task. One per {@link ElasticTask}; every method is called in the
 * task's thread, all but {@link #close()} in its mailbox. An exception fails the task.
 */
public interface TaskExtension {

    /** The task is about to run: operators are open and gates recovered. */
    default void onRunning() throws Exception {}

    /** An event from the coordinator. */
    default void onEvent(OperatorEvent event) throws Exception {
        throw new IllegalStateException("unexpected event from the coordinator: " + event);
    }

    /**
     * The channel of a subtask that was activated is open; none of its elements has been read.
     *
     * @param clock event time at which it joined, in milliseconds
     */
    default void onChannelOpened(int gateIndex, int channelIndex, long clock) throws Exception {}

    /** A producer sends nothing more than the end of its channel. Once per channel. */
    default void onProducerRetired() throws Exception {}

    /** The channel of a subtask that has retired is gone. */
    default void onChannelClosed(int gateIndex, int channelIndex) throws Exception {}

    /**
     * An event of the plug-in, after all elements that were sent before it on the channel.
     *
     * @param channel flattened index
     * @return what the input is to report, normally {@link DataInputStatus#MORE_AVAILABLE}
     */
    default DataInputStatus onInBandEvent(InBandEvent event, ElasticInput input, int channel)
            throws Exception {
        throw new IllegalStateException("unexpected event in channel " + channel + ": " + event);
    }

    /**
     * Event time of an input of this task, or null for the default, {@link ChannelEventTime}.
     * Called once per input.
     */
    default EventTime eventTime(ElasticInput input) {
        return null;
    }

    /**
     * All input has ended and all has been emitted; the end of the data goes out through one output
     * when this returns. Once for each. May run mails meanwhile.
     *
     * @param drained false if the job stops with its state: nothing of it ends
     */
    default void beforeEndOfData(boolean drained) throws Exception {}

    /**
     * A producer has come to the end of its data, all of which has been read.
     *
     * @param channel flattened index
     */
    default void onEndOfData(ElasticInput input, int channel) throws Exception {}

    /**
     * The task ends, for whatever reason; also called if it never got to run.
     *
     * @param failure null if it does not fail
     */
    default void close(Throwable failure) throws Exception {}
}
