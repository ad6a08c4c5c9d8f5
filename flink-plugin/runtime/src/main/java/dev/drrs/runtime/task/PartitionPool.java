package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import dev.drrs.flink.PartitionAccess;
import java.io.IOException;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.util.function.SupplierWithException;

/**
 * Makes the buffer pool of a result partition, as Flink would for so many subpartitions as are
 * open: a dormant one takes no buffer. Stands in the place of Flink's own in each partition. In the
 * thread that sets the task up.
 */
public final class PartitionPool implements SupplierWithException<BufferPool, IOException> {

    private static final int ALL = -1;

    /** What the pool that is being made in this thread counts as the number of subpartitions. */
    private static final ThreadLocal<Integer> COUNTED = new ThreadLocal<>();

    private final SupplierWithException<BufferPool, IOException> flinks;
    private int open = ALL;

    private PartitionPool(SupplierWithException<BufferPool, IOException> flinks) {
        this.flinks = flinks;
    }

    /** Called from the factory of partitions for each one that it makes. */
    public static PartitionPool around(SupplierWithException<BufferPool, IOException> flinks) {
        return new PartitionPool(flinks);
    }

    /**
     * Called from there with the partition and what it was made of, which says how many
     * subpartitions are open if some are not.
     */
    public static void made(ResultPartitionDeploymentDescriptor of, ResultPartition partition) {
        if ((Object) of instanceof HookHolder holder
                && holder.drrsHook() instanceof Integer count
                && PartitionAccess.poolFactory(partition) instanceof PartitionPool pool) {
            pool.open = count;
        }
    }

    /** Whether the pool of this partition is made for its open subpartitions only. */
    public static boolean isByOpen(Object partition) {
        return PartitionAccess.poolFactory((ResultPartition) partition)
                        instanceof PartitionPool pool
                && pool.open != ALL;
    }

    /** Called when Flink counts the buffers that a partition of so many subpartitions needs. */
    public static int counted(int subpartitions) {
        Integer open = COUNTED.get();
        return open == null ? subpartitions : open;
    }

    @Override
    public BufferPool get() throws IOException {
        if (open == ALL) {
            return flinks.get();
        }
        COUNTED.set(open);
        try {
            return flinks.get();
        } finally {
            COUNTED.remove();
        }
    }
}
