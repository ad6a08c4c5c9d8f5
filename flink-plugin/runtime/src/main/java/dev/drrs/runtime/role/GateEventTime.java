package dev.drrs.runtime.role;

import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.task.EventTime;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Event time of one input of a subtask of an elastic vertex: a part of its gate's main clock.
 * Mailbox thread only.
 */
final class GateEventTime implements EventTime {

    private final int input;
    private SubtaskGate<StreamRecord<?>> gate;
    private int first;
    private Runnable after;

    GateEventTime(int input) {
        this.input = input;
    }

    /**
     * Before anything is read.
     *
     * @param firstChannel the gate's number for the input's first channel
     * @param action runs after each element of event time
     */
    void bind(SubtaskGate<StreamRecord<?>> ofTask, int firstChannel, Runnable action) {
        gate = ofTask;
        first = firstChannel;
        after = action;
    }

    @Override
    public void watermark(int channel, long timestamp, DataOutput<?> output) {
        gate.onWatermark(first + channel, timestamp);
        after.run();
    }

    @Override
    public void status(int channel, boolean idle, DataOutput<?> output) {
        gate.onStatus(first + channel, idle);
        after.run();
    }

    @Override
    public void opened(int channel) {
        gate.onChannelOpened(first + channel);
    }

    @Override
    public void closed(int channel) {
        gate.onChannelClosed(first + channel);
    }

    @Override
    public long align(int channel) {
        return gate.onAlign(first + channel);
    }

    @Override
    public long clock() {
        return gate.clock(input);
    }
}
