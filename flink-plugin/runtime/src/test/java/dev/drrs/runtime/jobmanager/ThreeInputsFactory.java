package dev.drrs.runtime.jobmanager;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.operators.AbstractInput;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Makes an operator with three inputs that passes everything on. */
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
            return IntStream.rangeClosed(1, 3).mapToObj(i -> (Input) new Passing(this, i)).toList();
        }
    }

    private static final class Passing extends AbstractInput<Long, Long> {
        Passing(ThreeInputs owner, int input) {
            super(owner, input);
        }

        @Override
        public void processElement(StreamRecord<Long> element) {
            output.collect(element);
        }
    }
}
