package dev.drrs.flink;

import java.lang.invoke.VarHandle;
import org.apache.flink.runtime.io.network.api.writer.RecordWriterDelegate;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.io.StreamInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamMultipleInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinator;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxProcessor;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** What is inside of a task and its outputs. Mailbox thread. */
public final class TaskAccess {

    private static final VarHandle RECORD_WRITERS = Handles.field(TaskMembers.RECORD_WRITERS);
    private static final VarHandle CHAIN = Handles.field(TaskMembers.OPERATOR_CHAIN);
    private static final VarHandle MAILBOX = Handles.field(TaskMembers.MAILBOX);
    private static final VarHandle PROCESSOR = Handles.field(TaskMembers.INPUT_PROCESSOR);
    private static final VarHandle CHECKPOINTS = Handles.field(TaskMembers.CHECKPOINTS);
    private static final VarHandle OUTPUT = Handles.field(TaskMembers.INPUT_OUTPUT);
    private static final VarHandle PROCESSORS = Handles.field(TaskMembers.PROCESSORS);
    private static final VarHandle DELEGATE = Handles.field(TaskMembers.DELEGATE);
    private static final VarHandle ANNOUNCED = Handles.field(TaskMembers.ANNOUNCED_STATUS);

    private TaskAccess() {}

    public static RecordWriterDelegate<?> recordWriters(StreamTask<?, ?> task) {
        return (RecordWriterDelegate<?>) RECORD_WRITERS.get(task);
    }

    public static OperatorChain<?, ?> chain(StreamTask<?, ?> task) {
        return (OperatorChain<?, ?>) CHAIN.get(task);
    }

    public static MailboxProcessor mailbox(StreamTask<?, ?> task) {
        return (MailboxProcessor) MAILBOX.get(task);
    }

    public static SubtaskCheckpointCoordinator checkpoints(StreamTask<?, ?> task) {
        return (SubtaskCheckpointCoordinator) CHECKPOINTS.get(task);
    }

    public static StreamInputProcessor inputProcessor(StreamTask<?, ?> task) {
        return (StreamInputProcessor) PROCESSOR.get(task);
    }

    /** One for each input. */
    public static StreamOneInputProcessor<?>[] inputs(StreamMultipleInputProcessor processor) {
        return (StreamOneInputProcessor<?>[]) PROCESSORS.get(processor);
    }

    /** Where the elements of an input go. */
    @SuppressWarnings("unchecked")
    public static DataOutput<Object> output(StreamOneInputProcessor<?> input) {
        return (DataOutput<Object>) OUTPUT.get(input);
    }

    /** What the output serializes elements with. */
    @SuppressWarnings("unchecked")
    public static SerializationDelegate<StreamElement> delegate(RecordWriterOutput<?> output) {
        return (SerializationDelegate<StreamElement>) DELEGATE.get(output);
    }

    /** The last status that went out. */
    public static WatermarkStatus announcedStatus(RecordWriterOutput<?> output) {
        return (WatermarkStatus) ANNOUNCED.get(output);
    }
}
