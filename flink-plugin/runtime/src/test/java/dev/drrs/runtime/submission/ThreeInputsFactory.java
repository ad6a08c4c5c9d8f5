package dev.drrs.runtime.submission;

import java.util.List;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** Makes an operator with three inputs that does nothing. */
final class ThreeInputsFactory extends AbstractStreamOperatorFactory<Long> {

    @Override
    @SuppressWarnings("unchecked") // as Flink's own factories
    public <T extends StreamOperator<Long>> T createStreamOperator(
            StreamOperatorParameters<Long> parameters) {
        return (T) new ThreeInputs(parameters);
    }

    @Override
    public Class<? extends StreamOperator<Long>> getStreamOperatorClass(ClassLoader loader) {
        return ThreeInputs.class;
    }

    private static final class ThreeInputs extends AbstractStreamOperatorV2<Long>
            implements MultipleInputStreamOperator<Long> {
        ThreeInputs(StreamOperatorParameters<Long> parameters) {
            super(parameters, 3);
        }

        @Override
        @SuppressWarnings("rawtypes") // Flink's signature
        public List<Input> getInputs() {
            return List.of(new Nothing(), new Nothing(), new Nothing());
        }
    }

    private static final class Nothing implements Input<Long> {
        @Override
        public void processElement(StreamRecord<Long> element) {}

        @Override
        public void processWatermark(Watermark mark) {}

        @Override
        public void processWatermarkStatus(WatermarkStatus status) {}

        @Override
        public void processLatencyMarker(LatencyMarker marker) {}

        @Override
        public void setKeyContextElement(StreamRecord<Long> record) {}
    }
}
