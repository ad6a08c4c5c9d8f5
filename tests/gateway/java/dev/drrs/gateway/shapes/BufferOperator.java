package dev.drrs.gateway.shapes;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Holds up to seven results, gives them away before a checkpoint and before a watermark: what {@code drrs.operators.trusted} asks for. */
public final class BufferOperator extends AbstractStreamOperator<Result>
        implements OneInputStreamOperator<Result, Result> {

    private static final int SIZE = 7;

    private transient List<StreamRecord<Result>> held;

    @Override
    public void open() throws Exception {
        super.open();
        held = new ArrayList<>();
    }

    @Override
    public void processElement(StreamRecord<Result> element) {
        held.add(element.copy(element.getValue().copy()));
        if (held.size() == SIZE) {
            giveAway();
        }
    }

    @Override
    public void processWatermark(Watermark watermark) throws Exception {
        giveAway();
        super.processWatermark(watermark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpoint) {
        giveAway();
    }

    @Override
    public void finish() throws Exception {
        giveAway();
        super.finish();
    }

    private void giveAway() {
        held.forEach(output::collect);
        held.clear();
    }
}
