package dev.drrs.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.protocol.Valve;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class ChannelEventTimeTest {

    private final Emitted emitted = new Emitted();

    @RepeatedTest(200)
    void emitsWhatFlinksValveEmits(RepetitionInfo repetition) throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        int channels = 1 + random.nextInt(4);
        Emitted expected = new Emitted();
        StatusWatermarkValve flink = new StatusWatermarkValve(channels);
        ChannelEventTime ours = new ChannelEventTime(new Valve(channels));

        for (int step = 0; step < 200; step++) {
            int channel = random.nextInt(channels);
            if (random.nextInt(4) == 0) {
                boolean idle = random.nextBoolean();
                flink.inputWatermarkStatus(
                        idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE, channel, expected);
                ours.status(channel, idle, emitted);
            } else {
                long timestamp = step + random.nextInt(50);
                flink.inputWatermark(new Watermark(timestamp), channel, expected);
                ours.watermark(channel, timestamp, emitted);
            }
            assertThat(emitted.elements).as("step %d", step).isEqualTo(expected.elements);
        }
    }

    @Test
    void anOpenedChannelHoldsEventTimeAtThePresentClock() throws Exception {
        Valve valve = new Valve(3);
        valve.remove(2);
        ChannelEventTime time = new ChannelEventTime(valve);
        time.watermark(0, 10, emitted);
        time.watermark(1, 20, emitted);

        time.opened(2);
        time.watermark(0, 30, emitted);
        assertThat(emitted.elements).containsExactly("10");

        time.watermark(2, 25, emitted);
        assertThat(emitted.elements).containsExactly("10", "20");
    }

    @Test
    void anIdleInputTurnsActiveWhenAChannelOpens() throws Exception {
        Valve valve = new Valve(2);
        valve.remove(1);
        ChannelEventTime time = new ChannelEventTime(valve);
        time.watermark(0, 10, emitted);
        time.status(0, true, emitted);

        time.opened(1);

        assertThat(emitted.elements).containsExactly("10", "idle", "active");
    }

    /** Takes down what goes to the operator. */
    private static final class Emitted implements DataOutput<Object> {
        private final List<String> elements = new ArrayList<>();

        @Override
        public void emitWatermark(Watermark watermark) {
            elements.add(Long.toString(watermark.getTimestamp()));
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            elements.add(status.isIdle() ? "idle" : "active");
        }

        @Override
        public void emitRecord(StreamRecord<Object> record) {
            throw new AssertionError("a record");
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            throw new AssertionError("a latency marker");
        }

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {
            throw new AssertionError("record attributes");
        }

        @Override
        public void emitWatermark(WatermarkEvent watermark) {
            throw new AssertionError("a generalised watermark");
        }
    }
}
