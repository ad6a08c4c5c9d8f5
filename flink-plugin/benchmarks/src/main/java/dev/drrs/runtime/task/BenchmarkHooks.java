package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.ElasticTaskInfo.OutEdge;
import java.util.Arrays;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/**
 * Attaches to Flink's objects what a task of an elastic job would, without the task. In this
 * package for its constructors; loaded in a JVM with the agent only.
 */
public final class BenchmarkHooks {

    private BenchmarkHooks() {}

    /** Routes by this table, key group to channel. */
    public static void route(Object partitioner, int[] placement) {
        ((HookHolder) partitioner).drrsHook(new Routing(placement));
    }

    /** The first {@code active} consumers of the partition are active, the others dormant. */
    public static void output(PipelinedResultPartition partition, int active) {
        boolean[] consumers = new boolean[partition.getNumberOfSubpartitions()];
        Arrays.fill(consumers, 0, active, true);
        String dataSet =
                partition
                        .getPartitionId()
                        .getPartitionId()
                        .getIntermediateDataSetID()
                        .toHexString();
        OutEdge edge = new OutEdge(dataSet, "0", true, null, consumers);
        OutEdgeWriter attached = new OutEdgeWriter(null, edge, 0, partition, null);
        if (((HookHolder) partition).drrsHook() != attached) {
            throw new IllegalStateException("the output is not elastic");
        }
    }

    /** The gate belongs to an elastic task. */
    public static void gate(SingleInputGate gate) {
        ElasticInputGate.attach(null, gate, new boolean[0]);
    }

    /** Before they are closed: the way back to a task is missing here. */
    public static void detach(PipelinedResultPartition partition, SingleInputGate gate) {
        ((HookHolder) partition).drrsHook(null);
        ((HookHolder) gate).drrsHook(null);
    }
}
