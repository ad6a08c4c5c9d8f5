package dev.drrs.flink;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.partition.BufferWritingResultPartition;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.PipelinedSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.util.ExceptionUtils;

/** What is inside of result partitions. Mailbox thread of the task; {@link #lock} says what for. */
public final class PartitionAccess {

    private static final VarHandle POOL_FACTORY = Handles.field(PartitionMembers.POOL_FACTORY);
    private static final MethodHandle FLUSH = Handles.method(PartitionMembers.FLUSH);
    private static final MethodHandle ADD = Handles.method(PartitionMembers.ADD);
    private static final VarHandle WRITTEN_BYTES = Handles.field(PartitionMembers.WRITTEN_BYTES);
    private static final MethodHandle ON_CONSUMED = Handles.method(PartitionMembers.ON_CONSUMED);
    private static final VarHandle LOCK = Handles.field(PartitionMembers.LOCK);
    private static final VarHandle CONSUMED = Handles.field(PartitionMembers.CONSUMED);
    private static final VarHandle USERS = Handles.field(PartitionMembers.USERS);
    private static final VarHandle ALL_PROCESSED = Handles.field(PartitionMembers.ALL_PROCESSED);
    private static final VarHandle NOT_ALL_PROCESSED =
            Handles.field(PartitionMembers.NOT_ALL_PROCESSED);
    private static final MethodHandle NEW_SUBPARTITION =
            Handles.constructor(PartitionMembers.NEW_SUBPARTITION);
    private static final VarHandle EXCLUSIVE_BUFFERS =
            Handles.field(PartitionMembers.EXCLUSIVE_BUFFERS);
    private static final VarHandle BUFFER_SIZE = Handles.field(PartitionMembers.BUFFER_SIZE);
    private static final VarHandle STATE_WRITER = Handles.field(PartitionMembers.STATE_WRITER);

    private PartitionAccess() {}

    /** What makes the buffer pool; null if it cannot be told. Called for every job. */
    public static Object poolFactory(ResultPartition partition) {
        return POOL_FACTORY == null ? null : POOL_FACTORY.get(partition);
    }

    /** Closes the buffers that are being filled for a subpartition and sends them. */
    public static void flush(BufferWritingResultPartition partition, int subpartition) {
        try {
            FLUSH.invoke(partition, subpartition, true);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    /** Adds a buffer to a subpartition as it is. */
    public static void add(
            BufferWritingResultPartition partition, int subpartition, BufferConsumer buffer)
            throws IOException {
        try {
            int unused = (int) ADD.invoke(partition, subpartition, buffer, 0);
        } catch (Throwable t) {
            ExceptionUtils.rethrowIOException(t);
        }
    }

    /** By subpartition. */
    public static long[] writtenBytes(BufferWritingResultPartition partition) {
        return (long[]) WRITTEN_BYTES.get(partition);
    }

    /** As when the consumer of a subpartition has let go of it. */
    public static void onConsumed(PipelinedResultPartition partition, int subpartition) {
        try {
            ON_CONSUMED.invoke(partition, subpartition);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    /** Guards the subpartitions and who uses them. */
    public static Object lock(PipelinedResultPartition partition) {
        return LOCK.get(partition);
    }

    /** By subpartition, whether its consumer has let go of it. Under {@link #lock}. */
    public static boolean[] consumed(PipelinedResultPartition partition) {
        return (boolean[]) CONSUMED.get(partition);
    }

    /**
     * A subpartition has a consumer that is still to come, as if none had been there. Under {@link
     * #lock}.
     */
    public static void awaitConsumer(PipelinedResultPartition partition, int subpartition) {
        consumed(partition)[subpartition] = false;
        USERS.set(partition, (int) USERS.get(partition) + 1);
        boolean[] processed = (boolean[]) ALL_PROCESSED.get(partition);
        if (processed[subpartition]) {
            processed[subpartition] = false;
            NOT_ALL_PROCESSED.set(partition, (int) NOT_ALL_PROCESSED.get(partition) + 1);
        }
    }

    /** An empty subpartition, else like the old one. */
    public static PipelinedSubpartition freshLike(
            PipelinedSubpartition old, PipelinedResultPartition partition) {
        try {
            PipelinedSubpartition fresh =
                    (PipelinedSubpartition)
                            NEW_SUBPARTITION.invoke(
                                    old.getSubPartitionIndex(),
                                    exclusiveBuffers(old),
                                    (int) BUFFER_SIZE.get(old),
                                    (ResultPartition) partition);
            fresh.setChannelStateWriter((ChannelStateWriter) STATE_WRITER.get(old));
            return fresh;
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
            throw new AssertionError("unreachable");
        }
    }

    /** How many buffers the consumer's channel has of its own. */
    public static int exclusiveBuffers(PipelinedSubpartition subpartition) {
        return (int) EXCLUSIVE_BUFFERS.get(subpartition);
    }
}
