package dev.drrs.runtime.task;

import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.io.network.ConnectionManager;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ChannelStateHolder;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionManager;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionIndexSet;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.taskmanager.NettyShuffleEnvironmentConfiguration;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinator;
import org.apache.flink.util.ExceptionUtils;

/**
 * Makes the placeholder that a gate has for the channel of a producer that is not there. Mailbox
 * thread only.
 */
final class UnknownChannels {

    private static final MethodHandle NEW =
            Internals.constructor(
                    Internals.type(
                            "org.apache.flink.runtime.io.network.partition.consumer.UnknownInputChannel"),
                    SingleInputGate.class,
                    int.class,
                    ResultPartitionID.class,
                    ResultSubpartitionIndexSet.class,
                    ResultPartitionManager.class,
                    TaskEventPublisher.class,
                    ConnectionManager.class,
                    int.class,
                    int.class,
                    int.class,
                    int.class,
                    InputChannelMetrics.class);
    private static final VarHandle CHECKPOINTS =
            Internals.field(
                    StreamTask.class,
                    "subtaskCheckpointCoordinator",
                    SubtaskCheckpointCoordinator.class);

    private UnknownChannels() {}

    /** In place of a channel whose producer has retired. */
    static InputChannel inPlaceOf(InputChannel old, SingleInputGate gate, ElasticTask task) {
        PeerNetwork network = ShuffleEnvironments.of(task.environment());
        NettyShuffleEnvironment shuffle = network.shuffle();
        NettyShuffleEnvironmentConfiguration configuration = shuffle.getConfiguration();
        InputChannel fresh;
        try {
            fresh =
                    (InputChannel)
                            NEW.invoke(
                                    gate,
                                    old.getChannelIndex(),
                                    old.getPartitionId(),
                                    old.getConsumedSubpartitionIndexSet(),
                                    shuffle.getResultPartitionManager(),
                                    (TaskEventPublisher) network.events(),
                                    shuffle.getConnectionManager(),
                                    configuration.partitionRequestInitialBackoff(),
                                    configuration.partitionRequestMaxBackoff(),
                                    configuration.getPartitionRequestListenerTimeout(),
                                    configuration.networkBuffersPerChannel(),
                                    new InputChannelMetrics(new UnregisteredMetricsGroup()));
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
            throw new AssertionError("unreachable");
        }
        SubtaskCheckpointCoordinator checkpoints =
                (SubtaskCheckpointCoordinator) CHECKPOINTS.get(task.streamTask());
        ((ChannelStateHolder) fresh).setChannelStateWriter(checkpoints.getChannelStateWriter());
        return fresh;
    }
}
