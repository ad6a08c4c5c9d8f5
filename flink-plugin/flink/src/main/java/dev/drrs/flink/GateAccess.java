package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.ConnectionManager;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.PrioritizedDeque;
import org.apache.flink.runtime.io.network.partition.ResultPartitionManager;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.UnionInputGate;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.taskmanager.InputGateWithMetrics;
import org.apache.flink.runtime.taskmanager.NettyShuffleEnvironmentConfiguration;
import org.apache.flink.util.ExceptionUtils;

/** What is inside of input gates. What guards it: the gate's own locks. */
public final class GateAccess {

    private static final VarHandle REQUEST_LOCK = Handles.field(GateMembers.REQUEST_LOCK);
    private static final VarHandle WITH_DATA = Handles.field(GateMembers.WITH_DATA);
    private static final VarHandle ENQUEUED = Handles.field(GateMembers.ENQUEUED);
    private static final VarHandle ENDED_PARTITIONS = Handles.field(GateMembers.ENDED_PARTITIONS);
    private static final VarHandle ENDED_DATA = Handles.field(GateMembers.ENDED_DATA);
    private static final VarHandle CHANNELS = Handles.field(GateMembers.CHANNELS);
    private static final VarHandle UNINITIALIZED = Handles.field(GateMembers.UNINITIALIZED);
    private static final VarHandle LAST_PRIORITY = Handles.field(GateMembers.LAST_PRIORITY);
    private static final VarHandle CHANNELS_BY_PARTITION =
            Handles.field(GateMembers.CHANNELS_BY_PARTITION);
    private static final MethodHandle QUEUE_CHANNEL = Handles.method(GateMembers.QUEUE_CHANNEL);
    private static final MethodHandle RELEASE = Handles.method(GateMembers.RELEASE);
    private static final Class<?> UNKNOWN = Handles.owner(GateMembers.NEW_UNKNOWN);
    private static final MethodHandle NEW_UNKNOWN = Handles.constructor(GateMembers.NEW_UNKNOWN);
    private static final VarHandle UNITED = Handles.field(GateMembers.UNITED);
    private static final VarHandle MEASURED = Handles.field(GateMembers.MEASURED);

    private GateAccess() {}

    /** Guards which producer is behind a channel. */
    public static Object requestLock(SingleInputGate gate) {
        return REQUEST_LOCK.get(gate);
    }

    /** The channels that can be read; also the lock over them and over the ends. */
    @SuppressWarnings("unchecked")
    public static PrioritizedDeque<InputChannel> withData(SingleInputGate gate) {
        return (PrioritizedDeque<InputChannel>) WITH_DATA.get(gate);
    }

    /** The channels that are in {@link #withData}. */
    public static BitSet enqueued(SingleInputGate gate) {
        return (BitSet) ENQUEUED.get(gate);
    }

    public static BitSet endedPartitions(SingleInputGate gate) {
        return (BitSet) ENDED_PARTITIONS.get(gate);
    }

    public static BitSet endedData(SingleInputGate gate) {
        return (BitSet) ENDED_DATA.get(gate);
    }

    public static InputChannel[] channels(SingleInputGate gate) {
        return (InputChannel[]) CHANNELS.get(gate);
    }

    @SuppressWarnings("unchecked")
    public static Map<IntermediateResultPartitionID, Map<InputChannelInfo, InputChannel>>
            channelsByPartition(SingleInputGate gate) {
        return (Map<IntermediateResultPartitionID, Map<InputChannelInfo, InputChannel>>)
                CHANNELS_BY_PARTITION.get(gate);
    }

    /** Changes how many channels the gate knows no producer of. */
    public static void addUninitialized(SingleInputGate gate, int more) {
        UNINITIALIZED.set(gate, (int) UNINITIALIZED.get(gate) + more);
    }

    /** By channel, the number of the last priority event. */
    public static int[] lastPriority(SingleInputGate gate) {
        return (int[]) LAST_PRIORITY.get(gate);
    }

    /** Queues a channel that has data. Takes the lock over {@link #withData}. */
    public static void queue(SingleInputGate gate, InputChannel channel) {
        try {
            QUEUE_CHANNEL.invoke(gate, channel, (Integer) null, false);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    public static void release(InputChannel channel) {
        try {
            RELEASE.invoke(channel);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    /** Whether the channel is the placeholder of a producer that is not there. */
    public static boolean isUnknown(InputChannel channel) {
        return UNKNOWN.isInstance(channel);
    }

    /** A placeholder like those of the gate's constructor, for the channel that it has now. */
    public static InputChannel newUnknown(
            InputChannel old,
            SingleInputGate gate,
            ResultPartitionManager partitions,
            TaskEventPublisher events,
            ConnectionManager connections,
            NettyShuffleEnvironmentConfiguration configuration,
            InputChannelMetrics metrics) {
        try {
            return (InputChannel)
                    NEW_UNKNOWN.invoke(
                            gate,
                            old.getChannelIndex(),
                            old.getPartitionId(),
                            old.getConsumedSubpartitionIndexSet(),
                            partitions,
                            events,
                            connections,
                            configuration.partitionRequestInitialBackoff(),
                            configuration.partitionRequestMaxBackoff(),
                            configuration.getPartitionRequestListenerTimeout(),
                            configuration.networkBuffersPerChannel(),
                            metrics);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
            throw new AssertionError("unreachable");
        }
    }

    /** The gates of a union by their index; called for every job. */
    public static Map<?, ?> united(UnionInputGate union) {
        return UNITED == null ? Map.of() : (Map<?, ?>) UNITED.get(union);
    }

    /** What the gate measures; null if it cannot be told. Called for every job. */
    public static InputGate measured(InputGateWithMetrics gate) {
        return MEASURED == null ? null : (InputGate) MEASURED.get(gate);
    }
}
