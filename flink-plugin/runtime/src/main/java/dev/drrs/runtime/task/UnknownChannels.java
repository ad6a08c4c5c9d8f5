package dev.drrs.runtime.task;

import dev.drrs.flink.GateAccess;
import dev.drrs.flink.TaskAccess;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ChannelStateHolder;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinator;

/**
 * Makes the placeholder that a gate has for the channel of a producer that is not there. Mailbox
 * thread only.
 */
final class UnknownChannels {

    private UnknownChannels() {}

    /** In place of a channel whose producer has retired. */
    static InputChannel inPlaceOf(InputChannel old, SingleInputGate gate, ElasticTask task) {
        PeerNetwork network = ShuffleEnvironments.of(task.environment());
        NettyShuffleEnvironment shuffle = network.shuffle();
        InputChannel fresh =
                GateAccess.newUnknown(
                        old,
                        gate,
                        shuffle.getResultPartitionManager(),
                        (TaskEventPublisher) network.events(),
                        shuffle.getConnectionManager(),
                        shuffle.getConfiguration(),
                        new InputChannelMetrics(new UnregisteredMetricsGroup()));
        SubtaskCheckpointCoordinator checkpoints = TaskAccess.checkpoints(task.streamTask());
        ((ChannelStateHolder) fresh).setChannelStateWriter(checkpoints.getChannelStateWriter());
        return fresh;
    }
}
