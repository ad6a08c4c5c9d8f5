package dev.drrs.flink;

import java.lang.invoke.VarHandle;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.streaming.runtime.io.AbstractStreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.RecordAttributesCombiner;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierTracker;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.checkpointing.SingleCheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;

/** What is inside of a task's network inputs and barrier handlers. Mailbox thread. */
public final class InputAccess {

    private static final VarHandle GATE = Handles.field(TaskMembers.CHECKPOINTED_GATE);
    private static final VarHandle DESERIALIZERS = Handles.field(TaskMembers.DESERIALIZERS);
    private static final VarHandle COMBINER = Handles.field(TaskMembers.ATTRIBUTES_COMBINER);
    private static final VarHandle GENERALIZED = Handles.field(TaskMembers.WATERMARK_COMBINERS);
    private static final VarHandle UNDEFINED = Handles.field(TaskMembers.UNDEFINED_CHANNELS);
    private static final VarHandle BACKLOG = Handles.field(TaskMembers.BACKLOG_CHANNELS);
    private static final VarHandle ATTRIBUTES = Handles.field(TaskMembers.CHANNEL_ATTRIBUTES);
    private static final VarHandle ALIGNING = Handles.field(TaskMembers.ALIGNED_CHANNELS);
    private static final VarHandle TRACKING = Handles.field(TaskMembers.TRACKED_CHANNELS);

    private InputAccess() {}

    /** The gate behind; null if it cannot be told. Called for every job. */
    public static InputGate gate(CheckpointedInputGate gate) {
        return GATE == null ? null : (InputGate) GATE.get(gate);
    }

    @SuppressWarnings("unchecked")
    public static Map<InputChannelInfo, RecordDeserializer<?>> deserializers(
            AbstractStreamTaskNetworkInput<?, ?> input) {
        return (Map<InputChannelInfo, RecordDeserializer<?>>) DESERIALIZERS.get(input);
    }

    public static RecordAttributesCombiner attributes(AbstractStreamTaskNetworkInput<?, ?> input) {
        return (RecordAttributesCombiner) COMBINER.get(input);
    }

    /** Whether the input combines generalised watermarks. */
    public static boolean hasGeneralizedWatermarks(AbstractStreamTaskNetworkInput<?, ?> input) {
        return !((Map<?, ?>) GENERALIZED.get(input)).isEmpty();
    }

    /** Changes how many channels have not said yet whether they work off a backlog. */
    public static void addUndefined(RecordAttributesCombiner combiner, int more) {
        UNDEFINED.set(combiner, (int) UNDEFINED.get(combiner) + more);
    }

    /** Changes how many channels work off a backlog. */
    public static void addBacklog(RecordAttributesCombiner combiner, int more) {
        BACKLOG.set(combiner, (int) BACKLOG.get(combiner) + more);
    }

    /** By channel, what it said last, or null. */
    public static RecordAttributes[] byChannel(RecordAttributesCombiner combiner) {
        return (RecordAttributes[]) ATTRIBUTES.get(combiner);
    }

    /** Changes how many channels the handler waits for. */
    public static void addChannels(SingleCheckpointBarrierHandler handler, int more) {
        ALIGNING.set(handler, (int) ALIGNING.get(handler) + more);
    }

    /** Changes how many channels the tracker waits for. */
    public static void addChannels(CheckpointBarrierTracker tracker, int more) {
        TRACKING.set(tracker, (int) TRACKING.get(tracker) + more);
    }
}
