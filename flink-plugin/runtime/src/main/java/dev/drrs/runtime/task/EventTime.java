package dev.drrs.runtime.task;

import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;

/**
 * Event time over the channels of one input, in place of Flink's valve. Mailbox thread only;
 * channels are flattened indices, times are event time in milliseconds.
 */
public interface EventTime {

    /** A watermark has come in; emits what follows from it. */
    void watermark(int channel, long timestamp, DataOutput<?> output) throws Exception;

    /** A status has come in; emits what follows from it. */
    void status(int channel, boolean idle, DataOutput<?> output) throws Exception;

    /** The channel becomes present: active, and aligned at the present {@link #clock()}. */
    void opened(int channel) throws Exception;

    /** The channel goes. Its last status was idle. */
    void closed(int channel) throws Exception;

    /**
     * The channel, active by now, holds event time from the present {@link #clock()} on.
     *
     * @return what records of the channel may be judged by, milliseconds
     */
    long align(int channel) throws Exception;

    /** The present event time; {@link Long#MIN_VALUE} before the first watermark. */
    long clock();
}
