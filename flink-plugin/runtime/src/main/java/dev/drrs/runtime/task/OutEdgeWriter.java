package dev.drrs.runtime.task;

import dev.drrs.runtime.ElasticTaskInfo.OutEdge;
import dev.drrs.runtime.HookHolder;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.api.serialization.EventSerializer;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelector;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelectorRecordWriter;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.partition.BufferWritingResultPartition;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.PipelinedSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.ExceptionUtils;

/**
 * One output of a task, some of whose consumers may be dormant: nothing is kept for those. Hangs at
 * the result partition. Mailbox thread only, but for {@link #consumed}.
 */
public final class OutEdgeWriter {

    /** What a subpartition answers that did not take a buffer. */
    public static final int NOT_ADDED = ResultSubpartition.ADD_BUFFER_ERROR_CODE;

    /** What hangs at a dormant subpartition: any object does, its presence is the mark. */
    private static final Object DORMANT = new Object();

    private static final MethodHandle FLUSH =
            Internals.method(
                    BufferWritingResultPartition.class,
                    "flushSubpartition",
                    void.class,
                    int.class,
                    boolean.class);
    private static final MethodHandle ADD =
            Internals.method(
                    BufferWritingResultPartition.class,
                    "addToSubpartition",
                    int.class,
                    int.class,
                    BufferConsumer.class,
                    int.class);
    private static final VarHandle WRITTEN_BYTES =
            Internals.field(
                    BufferWritingResultPartition.class,
                    "writtenBytesPerSubpartition",
                    long[].class);
    private static final MethodHandle ON_CONSUMED =
            Internals.method(
                    PipelinedResultPartition.class,
                    "onConsumedSubpartition",
                    void.class,
                    int.class);
    private static final VarHandle LOCK =
            Internals.field(PipelinedResultPartition.class, "lock", Object.class);
    private static final VarHandle CONSUMED =
            Internals.field(
                    PipelinedResultPartition.class, "consumedSubpartitions", boolean[].class);
    private static final VarHandle USERS =
            Internals.field(PipelinedResultPartition.class, "numberOfUsers", int.class);
    private static final VarHandle ALL_PROCESSED =
            Internals.field(
                    PipelinedResultPartition.class,
                    "allRecordsProcessedSubpartitions",
                    boolean[].class);
    private static final VarHandle NOT_ALL_PROCESSED =
            Internals.field(
                    PipelinedResultPartition.class,
                    "numNotAllRecordsProcessedSubpartitions",
                    int.class);
    private static final MethodHandle NEW_SUBPARTITION =
            Internals.constructor(
                    PipelinedSubpartition.class,
                    int.class,
                    int.class,
                    int.class,
                    ResultPartition.class);
    private static final VarHandle EXCLUSIVE_BUFFERS =
            Internals.field(
                    PipelinedSubpartition.class, "receiverExclusiveBuffersPerChannel", int.class);
    private static final VarHandle BUFFER_SIZE =
            Internals.field(PipelinedSubpartition.class, "bufferSize", int.class);
    private static final VarHandle STATE_WRITER =
            Internals.field(
                    PipelinedSubpartition.class, "channelStateWriter", ChannelStateWriter.class);
    private static final VarHandle DELEGATE =
            Internals.field(
                    RecordWriterOutput.class, "serializationDelegate", SerializationDelegate.class);
    private static final VarHandle ANNOUNCED =
            Internals.field(RecordWriterOutput.class, "announcedStatus", WatermarkStatus.class);

    private final ElasticTask task;
    private final OutEdge edge;
    private final int index;
    private final PipelinedResultPartition partition;
    private final RecordWriter<?> writer;
    private final boolean[] dormant;
    private final OutputBuffers buffers;
    private final Routing routing;
    private final Map<Integer, CompletableFuture<Void>> awaitingConsumed = new HashMap<>();

    OutEdgeWriter(
            ElasticTask task,
            OutEdge edge,
            int index,
            PipelinedResultPartition partition,
            RecordWriter<?> writer) {
        this.task = task;
        this.edge = edge;
        this.index = index;
        this.partition = partition;
        this.writer = writer;
        ResultSubpartition[] subpartitions = partition.getAllPartitions();
        if (edge.activeConsumers().length != subpartitions.length) {
            throw new IllegalStateException(
                    partition
                            + " has "
                            + subpartitions.length
                            + " subpartitions, not "
                            + edge.activeConsumers().length);
        }
        dormant = new boolean[subpartitions.length];
        for (int i = 0; i < subpartitions.length; i++) {
            dormant[i] = !edge.activeConsumers()[i];
            ((HookHolder) subpartitions[i]).drrsHook(dormant[i] ? DORMANT : null);
        }
        buffers =
                new OutputBuffers(partition, open(), (int) EXCLUSIVE_BUFFERS.get(subpartitions[0]));
        ((HookHolder) partition).drrsHook(this);
        ChannelSelector<?> selector =
                writer instanceof ChannelSelectorRecordWriter<?> s ? s.getChannelSelector() : null;
        routing = edge.placement() == null ? null : attachRouting(selector, edge.placement());
        if (routing == null && selector != null && open() < dormant.length) {
            // Refused at submission: such a partitioner picks dormant channels as well, and their
            // records are dropped.
            throw new IllegalStateException(
                    "records partitioned by " + selector + " cannot go to an elastic vertex");
        }
    }

    private static OutEdgeWriter of(Object partition) {
        return (OutEdgeWriter) ((HookHolder) partition).drrsHook();
    }

    public OutEdge edge() {
        return edge;
    }

    /** The routing table of this output; null unless the consumer is elastic and the edge keyed. */
    public Routing routing() {
        return routing;
    }

    public int subpartitions() {
        return dormant.length;
    }

    OutputBuffers buffers() {
        return buffers;
    }

    public boolean isDormant(int subpartition) {
        return dormant[subpartition];
    }

    /** Whether an element can be sent without waiting for a network buffer. */
    public boolean isAvailable() {
        return writer.isAvailable();
    }

    /**
     * The consumer has become active: from now on it gets what is emitted, first the current
     * watermark, then the status if it is idle. May wait for a network buffer, as any emission.
     */
    public void open(int subpartition) throws IOException {
        if (!dormant[subpartition]) {
            return;
        }
        buffers.opened(subpartition);
        // While still dormant: half-full builders whose consumer was dropped must not take later
        // records.
        flush(subpartition);
        ResultSubpartition target = partition.getAllPartitions()[subpartition];
        writtenBytes()[subpartition] = 0;
        ((HookHolder) target).drrsHook(null);
        dormant[subpartition] = false;
        announceTime(subpartition);
    }

    /**
     * Sends the event to this consumer, after everything that was emitted to it before.
     *
     * @throws IllegalStateException if the consumer is dormant
     */
    public void sendEvent(int subpartition, AbstractEvent event) throws IOException {
        if (dormant[subpartition]) {
            throw new IllegalStateException(
                    "subpartition " + subpartition + " of " + partition + " is dormant");
        }
        flush(subpartition);
        try {
            int unused =
                    (int)
                            ADD.invoke(
                                    (BufferWritingResultPartition) partition,
                                    subpartition,
                                    EventSerializer.toBufferConsumer(event, false),
                                    0);
        } catch (Throwable t) {
            rethrow(t);
        }
    }

    /** Sends the event to each active consumer, as {@link #sendEvent}. */
    public void sendToAll(AbstractEvent event) throws IOException {
        for (int i = 0; i < dormant.length; i++) {
            if (!dormant[i]) {
                sendEvent(i, event);
            }
        }
    }

    /** Tells the consumers that nothing follows: idle first, so that no event time is held. */
    void retire() throws IOException {
        task.streamOutput(index).emitWatermarkStatus(WatermarkStatus.IDLE);
        sendToAll(new ProducerRetired());
    }

    /**
     * The consumer gets nothing any more.
     *
     * @param last sent before, null for nothing
     */
    public void close(int subpartition, AbstractEvent last) throws IOException {
        if (dormant[subpartition]) {
            return;
        }
        if (last != null) {
            sendEvent(subpartition, last);
        }
        flush(subpartition);
        ((HookHolder) partition.getAllPartitions()[subpartition]).drrsHook(DORMANT);
        dormant[subpartition] = true;
        buffers.closed();
    }

    /** Closes a subpartition that was opened for a consumer which never came to read it. */
    public void discard(int subpartition) throws IOException {
        if (dormant[subpartition]) {
            return;
        }
        close(subpartition, null);
        ResultSubpartition[] all = partition.getAllPartitions();
        PipelinedSubpartition old = (PipelinedSubpartition) all[subpartition];
        synchronized (LOCK.get(partition)) {
            PipelinedSubpartition fresh = freshLike(old);
            ((HookHolder) fresh).drrsHook(DORMANT);
            writtenBytes()[subpartition] = 0;
            all[subpartition] = fresh;
        }
        old.release();
    }

    /**
     * Makes the subpartition of a consumer that was closed and has ended ready for a new one: it
     * stays dormant.
     *
     * @return done in the mailbox, once the network stack has let go of the old consumer's view
     */
    public CompletableFuture<Void> reset(int subpartition) {
        if (!dormant[subpartition]) {
            throw new IllegalStateException(
                    "subpartition " + subpartition + " of " + partition + " is open");
        }
        CompletableFuture<Void> done =
                awaitingConsumed.computeIfAbsent(subpartition, i -> new CompletableFuture<>());
        replaceIfConsumed(subpartition);
        return done;
    }

    /** Called from the partition when a consumer has let go of its subpartition, in any thread. */
    public static void consumed(Object partition, int subpartition) {
        OutEdgeWriter self = of(partition);
        if (self != null) {
            self.task.executeIfRunning(
                    () -> self.replaceIfConsumed(subpartition), "subpartition released");
        }
    }

    /** Called from the partition for each element: whether nothing of it is to be kept. */
    public static boolean drops(Object hook, int subpartition) {
        return hook != null && ((OutEdgeWriter) hook).dormant[subpartition];
    }

    /**
     * Called from the partition for each buffer that an unaligned checkpoint held for a consumer.
     *
     * @throws IOException if the consumer is dormant now: dropping the buffer would lose records
     */
    public static void recovered(Object partition, int subpartition) throws IOException {
        OutEdgeWriter self = of(partition);
        if (drops(self, subpartition)) {
            throw new IOException(
                    "the checkpoint holds in-flight records for subtask "
                            + subpartition
                            + " of vertex "
                            + self.edge.consumerVertexId()
                            + ", which is dormant: restore from a savepoint or from an aligned checkpoint");
        }
    }

    /** Called from a subpartition that is dormant, for each buffer; true: it is dropped. */
    public static boolean drop(BufferConsumer consumer) {
        consumer.close();
        return true;
    }

    /** Called from an output for each change of its record attributes. */
    public static void announced(Object output, RecordAttributes attributes) {
        ((HookHolder) output).drrsHook(attributes);
    }

    /** Called from the partition when all has been emitted, before the end of the data goes out. */
    public static void beforeEndOfData(Object partition) throws Exception {
        OutEdgeWriter self = of(partition);
        if (self != null) {
            self.task.extension().beforeEndOfData();
        }
    }

    /** Called from the partition: a dormant consumer will never acknowledge the end of data. */
    public static void endOfData(Object partition) {
        OutEdgeWriter self = of(partition);
        if (self != null) {
            for (int i = 0; i < self.dormant.length; i++) {
                if (self.dormant[i]) {
                    self.partition.onSubpartitionAllDataProcessed(i);
                }
            }
        }
    }

    /**
     * Called from the partition when its task is done with it: dormant consumers are no users of it
     * any more.
     */
    public static void closing(Object partition) {
        OutEdgeWriter self = of(partition);
        if (self != null) {
            try {
                for (int i = 0; i < self.dormant.length; i++) {
                    if (self.dormant[i]) {
                        ON_CONSUMED.invoke(self.partition, i);
                    }
                }
            } catch (Throwable t) {
                ExceptionUtils.rethrow(t);
            }
        }
    }

    private void replaceIfConsumed(int subpartition) {
        CompletableFuture<Void> done = awaitingConsumed.get(subpartition);
        if (done == null) {
            return;
        }
        ResultSubpartition[] all = partition.getAllPartitions();
        PipelinedSubpartition old = (PipelinedSubpartition) all[subpartition];
        boolean[] consumed = (boolean[]) CONSUMED.get(partition);
        synchronized (LOCK.get(partition)) {
            if (!consumed[subpartition]) {
                return;
            }
            flush(subpartition);
            old.release();
            PipelinedSubpartition fresh = freshLike(old);
            ((HookHolder) fresh).drrsHook(DORMANT);
            writtenBytes()[subpartition] = 0;
            all[subpartition] = fresh;
            consumed[subpartition] = false;
            USERS.set(partition, (int) USERS.get(partition) + 1);
            boolean[] processed = (boolean[]) ALL_PROCESSED.get(partition);
            if (processed[subpartition]) {
                processed[subpartition] = false;
                NOT_ALL_PROCESSED.set(partition, (int) NOT_ALL_PROCESSED.get(partition) + 1);
            }
        }
        awaitingConsumed.remove(subpartition);
        done.complete(null);
    }

    private PipelinedSubpartition freshLike(PipelinedSubpartition old) {
        try {
            PipelinedSubpartition fresh =
                    (PipelinedSubpartition)
                            NEW_SUBPARTITION.invoke(
                                    old.getSubPartitionIndex(),
                                    (int) EXCLUSIVE_BUFFERS.get(old),
                                    (int) BUFFER_SIZE.get(old),
                                    (ResultPartition) partition);
            fresh.setChannelStateWriter((ChannelStateWriter) STATE_WRITER.get(old));
            return fresh;
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
            throw new AssertionError("unreachable");
        }
    }

    @SuppressWarnings("unchecked")
    private void announceTime(int subpartition) throws IOException {
        RecordWriterOutput<?> output = task.streamOutput(index);
        SerializationDelegate<StreamElement> delegate =
                (SerializationDelegate<StreamElement>) DELEGATE.get(output);
        RecordWriter<SerializationDelegate<StreamElement>> target =
                (RecordWriter<SerializationDelegate<StreamElement>>) writer;
        long watermark = output.getWatermarkGauge().getValue();
        if (watermark != Long.MIN_VALUE) {
            emit(target, delegate, new Watermark(watermark), subpartition);
        }
        WatermarkStatus status = (WatermarkStatus) ANNOUNCED.get(output);
        if (status.isIdle()) {
            emit(target, delegate, status, subpartition);
        }
        Object attributes = ((HookHolder) (Object) output).drrsHook();
        if (attributes != null) {
            emit(target, delegate, (RecordAttributes) attributes, subpartition);
        }
        partition.flush(subpartition);
    }

    private static void emit(
            RecordWriter<SerializationDelegate<StreamElement>> target,
            SerializationDelegate<StreamElement> delegate,
            StreamElement element,
            int subpartition)
            throws IOException {
        delegate.setInstance(element);
        target.emit(delegate, subpartition);
    }

    private void flush(int subpartition) {
        try {
            FLUSH.invoke((BufferWritingResultPartition) partition, subpartition, true);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    private long[] writtenBytes() {
        return (long[]) WRITTEN_BYTES.get((BufferWritingResultPartition) partition);
    }

    private int open() {
        int open = 0;
        for (boolean d : dormant) {
            open += d ? 0 : 1;
        }
        return open;
    }

    private static Routing attachRouting(ChannelSelector<?> selector, int[] placement) {
        if (!(selector instanceof KeyGroupStreamPartitioner<?, ?> partitioner)) {
            throw new IllegalStateException(
                    "a keyed edge is not partitioned by key groups but by " + selector);
        }
        if (partitioner.getMaxParallelism() != placement.length) {
            throw new IllegalStateException(
                    "placement of "
                            + placement.length
                            + " key groups for an edge that has "
                            + partitioner.getMaxParallelism());
        }
        Routing routing = new Routing(placement);
        ((HookHolder) (Object) partitioner).drrsHook(routing);
        return routing;
    }

    private static void rethrow(Throwable t) throws IOException {
        ExceptionUtils.rethrowIOException(t);
    }

    @Override
    public String toString() {
        return "output to " + edge.consumerVertexId() + " (" + partition + ")";
    }
}
