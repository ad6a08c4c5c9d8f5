package dev.drrs.benchmarks;

import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** An operator that only counts. */
final class CountingOutput implements DataOutput<Long> {

    long elements;
    long sum;

    @Override
    public void emitRecord(StreamRecord<Long> streamRecord) {
        elements++;
        sum += streamRecord.getValue();
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        elements++;
        sum += watermark.getTimestamp();
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus watermarkStatus) {
        elements++;
    }

    @Override
    public void emitLatencyMarker(LatencyMarker latencyMarker) {
        elements++;
    }

    @Override
    public void emitRecordAttributes(RecordAttributes recordAttributes) {
        elements++;
    }

    @Override
    public void emitWatermark(WatermarkEvent watermark) {
        elements++;
    }
}
