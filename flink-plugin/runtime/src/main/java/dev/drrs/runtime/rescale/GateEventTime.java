package dev.drrs.runtime.rescale;

import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.task.EventTime;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Event time of a subtask of an elastic vertex: its gate's main valve. Mailbox thread only. */
final class GateEventTime implements EventTime {

    private final SubtaskGate<StreamRecord<?>> gate;

    GateEventTime(SubtaskGate<StreamRecord<?>> gate) {
        this.gate = gate;
    }

    @Override
    public void watermark(int channel, long timestamp, DataOutput<?> output) {
        gate.onWatermark(channel, timestamp);
        after.run();
    }

    @Override
    public void status(int channel, boolean idle, DataOutput<?> output) {
        gate.onStatus(channel, idle);
        after.run();
    }

    @Override
    public void opened(int channel) {
        gate.onChannelOpened(channel);
    }

    @Override
    public void closed(int channel) {
        gate.onChannelClosed(channel);
    }

    @Override
    public long align(int channel) {
        return gate.onAlign(channel);
    }

    @Override
    public long clock() {
        return gate.clock();
    }

    private Runnable after = () -> {};

    /** Runs after each element of event time. */
    void after(Runnable action) {
        after = action;
    }
}
