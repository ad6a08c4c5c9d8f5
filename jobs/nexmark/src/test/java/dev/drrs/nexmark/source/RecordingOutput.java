package dev.drrs.nexmark.source;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/** Notes what a reader does to its outputs, as short texts in their order. */
final class RecordingOutput implements ReaderOutput<ScheduledEvent> {

    private final String split;
    private final List<String> calls;

    RecordingOutput() {
        this("main", new ArrayList<>());
    }

    private RecordingOutput(String split, List<String> calls) {
        this.split = split;
        this.calls = calls;
    }

    List<String> calls() {
        return calls;
    }

    @Override
    public void collect(ScheduledEvent event) {
        throw new UnsupportedOperationException("Events must carry their time");
    }

    @Override
    public void collect(ScheduledEvent event, long timestamp) {
        calls.add(event.isPreload() ? "preload" : "event " + event.event().number());
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        calls.add("watermark " + split + " " + watermark.getTimestamp());
    }

    @Override
    public void markIdle() {
        calls.add("idle " + split);
    }

    @Override
    public void markActive() {
        calls.add("active " + split);
    }

    @Override
    public SourceOutput<ScheduledEvent> createOutputForSplit(String splitId) {
        calls.add("open " + splitId);
        return new RecordingOutput(splitId, calls);
    }

    @Override
    public void releaseOutputForSplit(String splitId) {
        calls.add("release " + splitId);
    }
}
