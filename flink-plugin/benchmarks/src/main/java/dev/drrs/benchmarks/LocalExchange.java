package dev.drrs.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.deployment.InputGateDeploymentDescriptor;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.ShuffleDescriptorAndIndex;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor.LocalExecutionPartitionConnectionInfo;
import org.apache.flink.runtime.shuffle.PartitionDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.shuffle.ShuffleEnvironmentContext;
import org.apache.flink.runtime.shuffle.ShuffleIOOwnerContext;
import org.apache.flink.util.concurrent.ScheduledExecutorServiceAdapter;

/**
 * A result partition and a gate that reads its first subpartition, in one TaskManager's network
 * stack. Everything happens in the caller's thread. What is written for other subpartitions stays
 * there.
 */
final class LocalExchange implements AutoCloseable {

    private static final ResourceID TASK_MANAGER = new ResourceID("benchmark");

    final PipelinedResultPartition partition;
    final SingleInputGate gate;

    private final ShuffleEnvironment<?, ?> shuffle;
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);

    LocalExchange(int subpartitions) throws IOException, InterruptedException {
        shuffle = newShuffle();
        IntermediateDataSetID dataSet = new IntermediateDataSetID();
        ExecutionAttemptID producer = ExecutionAttemptID.randomId();
        IntermediateResultPartitionID id = new IntermediateResultPartitionID(dataSet, 0);
        NettyShuffleDescriptor shuffleDescriptor =
                new NettyShuffleDescriptor(
                        TASK_MANAGER,
                        LocalExecutionPartitionConnectionInfo.INSTANCE,
                        new ResultPartitionID(id, producer));
        ResultPartitionType type = ResultPartitionType.PIPELINED_BOUNDED;
        PartitionDescriptor descriptor =
                new PartitionDescriptor(dataSet, 1, id, type, subpartitions, 0, false, true, false);
        partition =
                (PipelinedResultPartition)
                        shuffle.createResultPartitionWriters(
                                        owner(producer),
                                        List.of(
                                                new ResultPartitionDeploymentDescriptor(
                                                        descriptor,
                                                        shuffleDescriptor,
                                                        Bids.KEY_GROUPS)))
                                .get(0);
        partition.setup();
        InputGateDeploymentDescriptor input =
                new InputGateDeploymentDescriptor(
                        dataSet,
                        type,
                        0,
                        new ShuffleDescriptorAndIndex[] {
                            new ShuffleDescriptorAndIndex(shuffleDescriptor, 0)
                        });
        gate =
                (SingleInputGate)
                        shuffle.createInputGates(
                                        owner(ExecutionAttemptID.randomId()),
                                        (d, p, response) -> {
                                            throw new IllegalStateException(
                                                    "the partition is gone");
                                        },
                                        List.of(input))
                                .get(0);
        gate.setup();
        gate.setChannelStateWriter(ChannelStateWriter.NO_OP);
        gate.finishReadRecoveredState();
        while (!gate.getStateConsumedFuture().isDone()) {
            if (gate.pollNext().isPresent()) {
                throw new IllegalStateException("data before the partition was requested");
            }
        }
        gate.requestPartitions();
    }

    private ShuffleEnvironment<?, ?> newShuffle() throws IOException {
        Path tmp = Files.createTempDirectory("exchange");
        tmp.toFile().deleteOnExit();
        Configuration configuration = new Configuration();
        configuration.set(NettyShuffleEnvironmentOptions.DATA_PORT, 0);
        configuration.set(
                TaskManagerOptions.MEMORY_SEGMENT_SIZE, MemorySize.ofMebiBytes(32).divide(1024));
        ShuffleEnvironment<?, ?> environment =
                new NettyShuffleServiceFactory()
                        .createShuffleEnvironment(
                                new ShuffleEnvironmentContext(
                                        configuration,
                                        TASK_MANAGER,
                                        MemorySize.ofMebiBytes(16),
                                        false,
                                        InetAddress.getLoopbackAddress(),
                                        1,
                                        new String[] {tmp.toString()},
                                        new TaskEventDispatcher(),
                                        new UnregisteredMetricsGroup(),
                                        executor,
                                        new ScheduledExecutorServiceAdapter(executor)));
        environment.start();
        return environment;
    }

    private ShuffleIOOwnerContext owner(ExecutionAttemptID task) {
        return shuffle.createShuffleIOOwnerContext(
                "benchmark", task, new UnregisteredMetricsGroup());
    }

    @Override
    public void close() throws Exception {
        gate.close();
        partition.release(null);
        partition.close();
        shuffle.close();
        executor.shutdownNow();
    }
}
