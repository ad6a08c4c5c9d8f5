package dev.drrs.nexmark.kafka;

import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Event time by the events of a partition, of which Flink has one generator each. What only makes
 * state has no event time.
 *
 * @param outOfOrdernessMs how far an event's time may lie behind the latest one before it
 * @param intervalMs least advance between two watermarks, while there are events
 */
record EventTime(long outOfOrdernessMs, long intervalMs)
        implements WatermarkStrategy<ScheduledEvent> {

    @Override
    public TimestampAssigner<ScheduledEvent> createTimestampAssigner(
            TimestampAssignerSupplier.Context context) {
        return (event, recordTimestamp) -> event.event().timestamp();
    }

    @Override
    public WatermarkGenerator<ScheduledEvent> createWatermarkGenerator(
            WatermarkGeneratorSupplier.Context context) {
        return new OfPartition();
    }

    private final class OfPartition implements WatermarkGenerator<ScheduledEvent> {

        private long latest = Long.MIN_VALUE;
        private long emitted = Long.MIN_VALUE;

        @Override
        public void onEvent(ScheduledEvent event, long timestamp, WatermarkOutput output) {
            if (event.isPreload()) {
                return;
            }
            latest = Math.max(latest, timestamp);
            if (emitted == Long.MIN_VALUE || reached() - emitted >= intervalMs) {
                onPeriodicEmit(output);
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            if (latest != Long.MIN_VALUE && reached() > emitted) {
                emitted = reached();
                output.emitWatermark(new Watermark(emitted));
            }
        }

        private long reached() {
            return latest - outOfOrdernessMs - 1;
        }
    }
}
