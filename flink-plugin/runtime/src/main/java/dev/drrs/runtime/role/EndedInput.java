package dev.drrs.runtime.role;

import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.RecordProcessorUtils;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * The way to an operator for an input that has ended here: Flink puts one in its place that drops
 * everything. A subtask that was activated after the end has still to hear where the input's event
 * time has come to, and may get records of it that wait at their old owner. Mailbox thread only.
 */
final class EndedInput implements DataOutput<Object> {

    private final StreamOperator<?> operator;
    private final int input;
    private final ThrowingConsumer<StreamRecord<Object>, Exception> records;
    private final Counter recordsIn;

    EndedInput(StreamOperator<?> operator, int input) {
        this.operator = operator;
        this.input = input;
        this.records = records(operator, input);
        this.recordsIn =
                ((InternalOperatorMetricGroup) operator.getMetricGroup())
                        .getIOMetricGroup()
                        .getNumRecordsInCounter();
    }

    @SuppressWarnings("unchecked")
    private static ThrowingConsumer<StreamRecord<Object>, Exception> records(
            StreamOperator<?> operator, int input) {
        if (operator instanceof TwoInputStreamOperator<?, ?, ?> two) {
            TwoInputStreamOperator<Object, Object, ?> both =
                    (TwoInputStreamOperator<Object, Object, ?>) two;
            return input == 0
                    ? RecordProcessorUtils.getRecordProcessor1(both)
                    : RecordProcessorUtils.getRecordProcessor2(both);
        }
        Input<Object> one =
                operator instanceof MultipleInputStreamOperator<?> many
                        ? many.getInputs().get(input)
                        : (Input<Object>) operator;
        return RecordProcessorUtils.getRecordProcessor(one);
    }

    @Override
    public void emitWatermark(Watermark watermark) throws Exception {
        if (operator instanceof TwoInputStreamOperator<?, ?, ?> two) {
            if (input == 0) {
                two.processWatermark1(watermark);
            } else {
                two.processWatermark2(watermark);
            }
        } else if (operator instanceof MultipleInputStreamOperator<?> many) {
            many.getInputs().get(input).processWatermark(watermark);
        } else {
            ((OneInputStreamOperator<?, ?>) operator).processWatermark(watermark);
        }
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) throws Exception {
        if (operator instanceof TwoInputStreamOperator<?, ?, ?> two) {
            if (input == 0) {
                two.processWatermarkStatus1(status);
            } else {
                two.processWatermarkStatus2(status);
            }
        } else if (operator instanceof MultipleInputStreamOperator<?> many) {
            many.getInputs().get(input).processWatermarkStatus(status);
        } else {
            ((OneInputStreamOperator<?, ?>) operator).processWatermarkStatus(status);
        }
    }

    @Override
    public void emitRecord(StreamRecord<Object> record) throws Exception {
        recordsIn.inc();
        records.accept(record);
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {}

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {}

    @Override
    public void emitWatermark(WatermarkEvent watermark) {}
}
