package dev.drrs.runtime.role;

import dev.drrs.flink.OperatorOutput;
import dev.drrs.flink.TaskAccess;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.FinishedDataOutput;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.StreamInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamMultipleInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * The keyed operator at the head of an elastic task: how records and event time get into it, and
 * what comes out of it.
 *
 * <p>While subscales are open the operator's own watermarks and statuses are kept back at its
 * output: its timers follow the main clock, but what goes downstream is bound by the clocks of the
 * subscales too (rule R1). At the input the bound would hold up the operator's own timers. Mailbox
 * thread only.
 */
final class HeadOperator {

    private final StreamTask<?, ?> task;
    private final int maxParallelism;
    private final List<KeySelector<Object, Object>> keySelectors = new ArrayList<>();

    /** Where the elements of each input go. */
    private List<DataOutput<Object>> inputs;

    private StreamOperator<Object> operator;
    private Output<StreamRecord<Object>> output;

    HeadOperator(
            StreamTask<?, ?> task,
            StreamConfig config,
            int inputCount,
            ClassLoader loader,
            int maxParallelism) {
        this.task = task;
        this.maxParallelism = maxParallelism;
        for (int input = 0; input < inputCount; input++) {
            keySelectors.add(selector(config, input, loader));
        }
    }

    @SuppressWarnings("unchecked")
    private static KeySelector<Object, Object> selector(
            StreamConfig config, int input, ClassLoader loader) {
        return (KeySelector<Object, Object>)
                (KeySelector<?, ?>) config.getStatePartitioner(input, loader);
    }

    /** All operators of the task, the head among them. */
    Iterable<StreamOperator<?>> chain() {
        return chain(task);
    }

    /** All operators of a task. */
    static Iterable<StreamOperator<?>> chain(StreamTask<?, ?> task) {
        List<StreamOperator<?>> all = new ArrayList<>();
        TaskAccess.chain(task)
                .getAllOperators()
                .forEach(wrapper -> all.add(wrapper.getStreamOperator()));
        return all;
    }

    /** Why event time cannot be bound at this operator's output, or null. */
    String fault() {
        StreamOperator<?> head = TaskAccess.chain(task).getMainOperator();
        if (!OperatorOutput.isReachable(head)) {
            return "the operator class "
                    + head.getClass().getName()
                    + " extends neither AbstractStreamOperator nor AbstractStreamOperatorV2";
        }
        if (head instanceof InputSelectable) {
            return "the operator class "
                    + head.getClass().getName()
                    + " selects the input it reads, which could wait for a held one for ever";
        }
        Object processor = TaskAccess.inputProcessor(task);
        if (!(processor instanceof StreamOneInputProcessor)
                && !(processor instanceof StreamMultipleInputProcessor)) {
            return "its inputs are read by a " + processor.getClass().getName();
        }
        return null;
    }

    /** Whether an input is partitioned by key; else it is broadcast. */
    boolean isKeyed(int input) {
        return keySelectors.get(input) != null;
    }

    int keyGroup(int input, StreamRecord<?> record) throws Exception {
        return KeyGroupRangeAssignment.assignToKeyGroup(key(input, record), maxParallelism);
    }

    Object key(int input, StreamRecord<?> record) throws Exception {
        return keySelectors.get(input).getKey(record.getValue());
    }

    StreamOperator<Object> operator() {
        connect();
        return operator;
    }

    @SuppressWarnings("unchecked")
    private void connect() {
        if (operator == null) {
            operator = (StreamOperator<Object>) TaskAccess.chain(task).getMainOperator();
            inputs = new ArrayList<>();
            for (StreamOneInputProcessor<?> processor : processors()) {
                DataOutput<Object> input = TaskAccess.output(processor);
                boolean ended = input instanceof FinishedDataOutput;
                inputs.add(ended ? new EndedInput(operator, inputs.size()) : input);
            }
            output = OperatorOutput.get(operator);
        }
    }

    private StreamOneInputProcessor<?>[] processors() {
        StreamInputProcessor processor = TaskAccess.inputProcessor(task);
        return processor instanceof StreamOneInputProcessor<?> one
                ? new StreamOneInputProcessor<?>[] {one}
                : TaskAccess.inputs((StreamMultipleInputProcessor) processor);
    }

    /** The record, as from the network. */
    @SuppressWarnings("unchecked")
    void process(int input, StreamRecord<?> record) throws Exception {
        connect();
        inputs.get(input).emitRecord((StreamRecord<Object>) record);
    }

    /** Event time of an input, as from the network. */
    void watermark(int input, long clock) throws Exception {
        connect();
        inputs.get(input).emitWatermark(new Watermark(clock));
    }

    void status(int input, boolean idle) throws Exception {
        connect();
        inputs.get(input).emitWatermarkStatus(idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE);
    }

    /** To the operators and tasks behind, past the operator itself. */
    void emitWatermark(long clock) {
        connect();
        output.emitWatermark(new Watermark(clock));
    }

    void emitStatus(boolean idle) {
        connect();
        output.emitWatermarkStatus(idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE);
    }

    /** Keeps the operator's own watermarks and statuses back from now on, or no longer. */
    void keepTimeBack(boolean back) {
        connect();
        OperatorOutput.set(operator, back ? new TimelessOutput<>(output) : output);
    }
}
