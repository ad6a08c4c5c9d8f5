package dev.drrs.runtime.peer;

import java.io.Serializable;
import java.util.Objects;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;

/**
 * Where a consumer finds the stream of one {@link PeerWriter}. Made by the writer, carried to the
 * consumer by the coordinator.
 *
 * @param taskManager the producer's TaskManager; the same one as the consumer's means a local
 *     channel
 * @param host name or address of the producer's TaskManager as other TaskManagers reach it,
 *     resolved by the consumer
 * @param dataPort the producer's data port, 0 or less if its TaskManager accepts local connections
 *     only
 * @param partition the result partition, unique per writer
 * @param dataSet the data set that the partition belongs to, unique per writer
 */
public record PeerAddress(
        ResourceID taskManager,
        String host,
        int dataPort,
        ResultPartitionID partition,
        IntermediateDataSetID dataSet)
        implements Serializable {

    private static final long serialVersionUID = 1L;

    /** An address that no other writer has. */
    static PeerAddress fresh(PeerNetwork producer) {
        IntermediateDataSetID dataSet = new IntermediateDataSetID();
        ResultPartitionID partition =
                new ResultPartitionID(
                        new IntermediateResultPartitionID(dataSet, 0),
                        ExecutionAttemptID.randomId());
        return new PeerAddress(
                producer.taskManager(), producer.host(), producer.dataPort(), partition, dataSet);
    }

    public PeerAddress {
        Objects.requireNonNull(taskManager, "taskManager");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(partition, "partition");
        Objects.requireNonNull(dataSet, "dataSet");
    }
}
