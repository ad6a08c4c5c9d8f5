package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import dev.drrs.flink.PartitionAccess;
import dev.drrs.flink.TaskAccess;
import dev.drrs.runtime.ElasticTaskInfo.OutEdge;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.api.StopMode;
import org.apache.flink.runtime.io.network.api.serialization.EventSerializer;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelector;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelectorRecordWriter;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.PipelinedSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * One output of a task, some of whose consumers may be dormant: nothing is kept for those. Hangs at
 * the result partition. Mailbox thread only, but for {@link #consumed}.
 */
public final class OutEdgeWriter {

    /** What a subpartition answers that did not take a buffer. */
    public static final int NOT_ADDED = ResultSubpartition.ADD_BUFFER_ERROR_CODE;

    /** What hangs at a dormant subpartition: any object does, its presence is the mark. */
    private static final Object DORMANT = new Object();

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
                new OutputBuffers(
                        partition,
                        open(),
                        PartitionAccess.exclusiveBuffers((PipelinedSubpartition) subpartitions[0]));
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
        PartitionAccess.add(
                partition, subpartition, EventSerializer.toBufferConsumer(event, false));
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
        synchronized (PartitionAccess.lock(partition)) {
            PipelinedSubpartition fresh = PartitionAccess.freshLike(old, partition);
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
    public static void beforeEndOfData(Object partition, StopMode mode) throws Exception {
        OutEdgeWriter self = of(partition);
        if (self != null) {
            self.task.extension().beforeEndOfData(mode == StopMode.DRAIN);
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
            for (int i = 0; i < self.dormant.length; i++) {
                if (self.dormant[i]) {
                    PartitionAccess.onConsumed(self.partition, i);
                }
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
        boolean[] consumed = PartitionAccess.consumed(partition);
        synchronized (PartitionAccess.lock(partition)) {
            if (!consumed[subpartition]) {
                return;
            }
            flush(subpartition);
            old.release();
            PipelinedSubpartition fresh = PartitionAccess.freshLike(old, partition);
            ((HookHolder) fresh).drrsHook(DORMANT);
            writtenBytes()[subpartition] = 0;
            all[subpartition] = fresh;
            PartitionAccess.awaitConsumer(partition, subpartition);
        }
        awaitingConsumed.remove(subpartition);
        done.complete(null);
    }

    @SuppressWarnings("unchecked")
    private void announceTime(int subpartition) throws IOException {
        RecordWriterOutput<?> output = task.streamOutput(index);
        SerializationDelegate<StreamElement> delegate = TaskAccess.delegate(output);
        RecordWriter<SerializationDelegate<StreamElement>> target =
                (RecordWriter<SerializationDelegate<StreamElement>>) writer;
        long watermark = output.getWatermarkGauge().getValue();
        if (watermark != Long.MIN_VALUE) {
            emit(target, delegate, new Watermark(watermark), subpartition);
        }
        WatermarkStatus status = TaskAccess.announcedStatus(output);
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
        PartitionAccess.flush(partition, subpartition);
    }

    private long[] writtenBytes() {
        return PartitionAccess.writtenBytes(partition);
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

    @Override
    public String toString() {
        return "output to " + edge.consumerVertexId() + " (" + partition + ")";
    }
}
