package dev.drrs.gateway.shapes;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** Watermarks, and when a split says that it is idle: by its events and not by a clock, so that it is the same in each run. */
final class EventTime implements WatermarkGenerator<Event> {

    private final long bound;
    private final boolean punctuated;

    private long highest = Long.MIN_VALUE;
    private boolean idle;

    private EventTime(Shape.Time time) {
        this.bound = time.bound();
        this.punctuated = time.marks().equals("punctuated");
    }

    static WatermarkStrategy<Event> strategy(Shape.Time time) {
        WatermarkStrategy<Event> strategy =
                time.marks().equals("none")
                        ? WatermarkStrategy.noWatermarks()
                        : WatermarkStrategy.forGenerator(unused -> new EventTime(time));
        return strategy.withTimestampAssigner((event, unused) -> event.ts);
    }

    @Override
    public void onEvent(Event event, long timestamp, WatermarkOutput output) {
        highest = Math.max(highest, timestamp);
        idle = event.last;
        if (punctuated || idle) {
            emit(output);
        }
        if (idle) {
            output.markIdle();
        }
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
        if (!punctuated && !idle && highest > Long.MIN_VALUE) {
            emit(output);
        }
    }

    private void emit(WatermarkOutput output) {
        output.emitWatermark(new Watermark(highest - bound - 1));
    }
}
