package dev.drrs.runtime.task;

import dev.drrs.protocol.Valve;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** Event time as Flink's valve has it, over channels that come and go. */
public final class ChannelEventTime implements EventTime {

    private final Valve valve;
    private boolean announcedIdle;
    private DataOutput<?> lastOutput;

    /**
     * @param valve the channels that are there from the start are present in it
     */
    public ChannelEventTime(Valve valve) {
        this.valve = valve;
    }

    @Override
    public void watermark(int channel, long timestamp, DataOutput<?> output) throws Exception {
        long before = valve.clock();
        valve.watermark(channel, timestamp);
        emit(before, output);
    }

    @Override
    public void status(int channel, boolean idle, DataOutput<?> output) throws Exception {
        long before = valve.clock();
        valve.status(channel, idle);
        emit(before, output);
    }

    @Override
    public void opened(int channel) throws Exception {
        valve.add(channel, valve.clock());
        if (announcedIdle) {
            // Idle was announced through an output, so there is one.
            emit(valve.clock(), lastOutput);
        }
    }

    @Override
    public void closed(int channel) {
        valve.remove(channel);
    }

    @Override
    public long align(int channel) {
        valve.align(channel);
        return valve.clock();
    }

    @Override
    public long clock() {
        return valve.clock();
    }

    /** Flink's order: the watermark that follows from going idle comes before the status. */
    private void emit(long clockBefore, DataOutput<?> output) throws Exception {
        lastOutput = output;
        if (valve.clock() > clockBefore) {
            output.emitWatermark(new Watermark(valve.clock()));
        }
        if (valve.allIdle() != announcedIdle) {
            announcedIdle = valve.allIdle();
            output.emitWatermarkStatus(
                    announcedIdle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE);
        }
    }
}
