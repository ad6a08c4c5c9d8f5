package dev.drrs.runtime.task;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.buffer.DrrsBufferAccess;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;
import org.apache.flink.runtime.io.network.partition.ResultPartition;

/**
 * The size of an output's buffer pool: one buffer for each open subpartition and one more at least,
 * as Flink has it. Each subpartition may hold a buffer that is not full, so with fewer the task
 * would wait for ever for one that nobody gives back. Therefore the pool grows before a
 * subpartition opens, and shrinks after one has closed. Mailbox thread.
 */
final class OutputBuffers {

    private final ResultPartition partition;
    private final int buffersPerSubpartition;

    /** By rescale: subpartitions that are counted although they are not open. */
    private final Map<Integer, Set<Integer>> reserved = new HashMap<>();

    private int open;

    /**
     * @param open number of open subpartitions, for which the pool was made
     * @param buffersPerSubpartition how many more the pool may use at most for each
     */
    OutputBuffers(ResultPartition partition, int open, int buffersPerSubpartition) {
        this.partition = partition;
        this.open = open;
        this.buffersPerSubpartition = buffersPerSubpartition;
    }

    /**
     * Makes place for these subpartitions.
     *
     * @return false if the TaskManager has too few buffers; nothing has changed then
     */
    boolean reserve(int rescale, List<Integer> subpartitions) {
        if (!grow(subpartitions.size())) {
            return false;
        }
        reserved.put(rescale, new HashSet<>(subpartitions));
        return true;
    }

    /** The rescale is over: subpartitions that it has not opened do not count any more. */
    void release(int rescale) {
        Set<Integer> unused = reserved.remove(rescale);
        if (unused != null) {
            grow(-unused.size());
        }
    }

    /** About to be opened. */
    void opened(int subpartition) {
        boolean counted = false;
        for (Set<Integer> some : reserved.values()) {
            counted |= some.remove(subpartition);
        }
        if (!counted && !grow(1)) {
            throw new IllegalStateException(
                    "no network buffer was reserved for subpartition "
                            + subpartition
                            + " of "
                            + partition);
        }
        open++;
    }

    /** Nothing is written to one of them any more. */
    void closed() {
        open--;
        grow(-1);
    }

    private boolean grow(int more) {
        BufferPool pool = partition.getBufferPool();
        if (more == 0 || !PartitionPool.isByOpen(partition)) {
            return true;
        }
        int required = pool.getNumberOfRequiredMemorySegments() + more;
        int max = pool.getMaxNumberOfMemorySegments();
        int most =
                max == NetworkBufferPool.UNBOUNDED_POOL_SIZE
                        ? max
                        : Math.max(required, max + more * buffersPerSubpartition);
        return DrrsBufferAccess.resize(pool, required, most);
    }

    @Override
    public String toString() {
        return open + " open, " + reserved + " reserved";
    }
}
