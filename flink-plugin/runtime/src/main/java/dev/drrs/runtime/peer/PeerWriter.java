package dev.drrs.runtime.peer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.PartitionDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleIOOwnerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producing end of a peer exchange: a pipelined result partition with one subpartition, filled
 * by a daemon thread.
 *
 * <p>Two lanes lead to that thread. {@linkplain #sendSignal Signals} never block the caller, keep
 * their order and are flushed as soon as none is left. {@linkplain #sendBulk Bulk} blocks the
 * caller while its lane is full and keeps its order too. Signals overtake bulk, also within a long
 * bulk message; after each batch of signals at least one frame of bulk goes out. Messages passed in
 * belong to the writer: do not change them afterwards.
 *
 * <p>All methods may be called from any thread. The partition, its buffers and the thread are
 * released when {@link #terminated()} completes, whichever way the exchange ends.
 */
public final class PeerWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PeerWriter.class);

    /** Signals per batch, after which bulk gets its turn. */
    private static final int SIGNAL_BATCH_BYTES = 256 * 1024;

    private static final Listener NONE = new Listener() {};

    /** Told about the exchange; calls come from the writer's thread and must not block. */
    public interface Listener {

        /**
         * {@link PeerWriter#hasRoom()} was false and the signals waiting have fallen below half of
         * the bound.
         */
        default void onRoom() {}

        /**
         * The last call: everything is released.
         *
         * @param failure null if the consumer handled everything, otherwise why not
         */
        default void closed(Throwable failure) {}
    }

    private final PeerNetwork network;
    private final PeerOptions options;
    private final Listener listener;
    private final ResultPartition partition;
    private final PeerAddress address;
    private final SendQueue queue;
    private final PeerCounters counters = new PeerCounters();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private final Thread thread;
    private final ByteBuffer header = ByteBuffer.allocate(Frame.HEADER_BYTES);

    /** Guards the decision to interrupt: the thread takes no interrupt once it cleans up. */
    private final Object interruptLock = new Object();

    private boolean interruptible = true;

    private SendQueue.Entry bulkInHand;
    private int bulkInHandBytes;
    private CompletableFuture<?> watchedAvailability;

    private PeerWriter(
            PeerNetwork network,
            String name,
            PeerOptions options,
            Listener listener,
            ResultPartition partition,
            PeerAddress address) {
        this.network = network;
        this.options = options;
        this.listener = listener;
        this.partition = partition;
        this.address = address;
        this.queue = new SendQueue(options);
        this.thread = new Thread(this::run, "drrs-peer-writer-" + name);
        thread.setDaemon(true);
    }

    /** See {@link PeerNetwork#openWriter}. */
    static PeerWriter open(PeerNetwork network, String name, PeerOptions options, Listener listener)
            throws IOException {
        return open(network, name, PeerAddress.fresh(network), options, listener);
    }

    static PeerWriter open(
            PeerNetwork network,
            String name,
            PeerAddress address,
            PeerOptions options,
            Listener listener)
            throws IOException {
        Objects.requireNonNull(options, "options");
        IntermediateDataSetID dataSet = address.dataSet();
        IntermediateResultPartitionID partitionId = address.partition().getPartitionId();
        PartitionDescriptor descriptor =
                new PartitionDescriptor(
                        dataSet,
                        1,
                        partitionId,
                        ResultPartitionType.PIPELINED_BOUNDED,
                        1,
                        0,
                        false,
                        true,
                        false);
        NettyShuffleDescriptor shuffleDescriptor = descriptor(address);
        // Unregistered metrics: Flink's gauges of this partition must not outlive it in the task's
        // metric group.
        ShuffleIOOwnerContext owner =
                network.shuffle()
                        .createShuffleIOOwnerContext(
                                "peer exchange of " + name,
                                address.partition().getProducerId(),
                                new UnregisteredMetricsGroup());
        ResultPartition partition =
                network.shuffle()
                        .createResultPartitionWriters(
                                owner,
                                List.of(
                                        new ResultPartitionDeploymentDescriptor(
                                                descriptor, shuffleDescriptor, 1)))
                        .get(0);
        PeerWriter writer =
                new PeerWriter(
                        network,
                        name,
                        options,
                        listener == null ? NONE : listener,
                        partition,
                        address);
        boolean started = false;
        try {
            ResultPartitionID id = address.partition();
            network.events().registerPartition(id);
            network.events()
                    .subscribeToEvent(
                            id,
                            event -> writer.onFeedback((PeerFeedbackEvent) event),
                            PeerFeedbackEvent.class);
            partition.setup();
            writer.thread.start();
            started = true;
        } finally {
            if (!started) {
                writer.release(null);
            }
        }
        return writer;
    }

    static NettyShuffleDescriptor descriptor(PeerAddress address) {
        NettyShuffleDescriptor.PartitionConnectionInfo connection =
                address.dataPort() > 0
                        ? new NettyShuffleDescriptor.NetworkPartitionConnectionInfo(
                                new InetSocketAddress(address.host(), address.dataPort()), 0)
                        : NettyShuffleDescriptor.LocalExecutionPartitionConnectionInfo.INSTANCE;
        return new NettyShuffleDescriptor(address.taskManager(), connection, address.partition());
    }

    /** What the consumer needs to connect. */
    public PeerAddress address() {
        return address;
    }

    /**
     * Queues a signal; never blocks.
     *
     * @throws PeerClosedException if the exchange is finished, closed or broken
     * @throws IOException if the message is longer than allowed
     */
    public void sendSignal(ByteBuffer message) throws IOException {
        checkLength(message.remaining());
        queue.putSignal(message);
    }

    /** See {@link #sendSignal(ByteBuffer)}. */
    public void sendSignal(byte[] message) throws IOException {
        sendSignal(ByteBuffer.wrap(message));
    }

    /**
     * Whether the signals waiting are within their bounds. The bound is soft: {@link #sendSignal}
     * works anyway. After this was false, {@link Listener#onRoom()} is called once the lane is half
     * empty.
     */
    public boolean hasRoom() {
        return queue.hasRoom();
    }

    /**
     * Queues a bulk message; blocks while the bulk lane is full. Not for the mailbox thread.
     *
     * @throws PeerClosedException if the exchange is finished, closed or broken, also while waiting
     * @throws IOException if the message is longer than allowed
     * @throws InterruptedException if the caller is interrupted while waiting
     */
    public void sendBulk(ByteBuffer message) throws IOException, InterruptedException {
        checkLength(message.remaining());
        queue.putBulk(Frame.Kind.BULK, message, false);
    }

    /**
     * An array for a message of {@link #sendChunk}, with anything in it. Arrays of one length are
     * used again when they have been sent.
     */
    public byte[] chunkBuffer(int bytes) {
        return queue.chunkBuffer(bytes);
    }

    /** As {@link #sendBulk(ByteBuffer)}, of an array from {@link #chunkBuffer}. */
    public void sendChunk(ByteBuffer message) throws IOException, InterruptedException {
        checkLength(message.remaining());
        queue.putBulk(Frame.Kind.BULK, message, true);
    }

    /** See {@link #sendBulk(ByteBuffer)}. */
    public void sendBulk(byte[] message) throws IOException, InterruptedException {
        sendBulk(ByteBuffer.wrap(message));
    }

    /** Queues bytes that the reader counts and drops, in the bulk lane and like bulk. */
    void sendFiller(ByteBuffer filler) throws IOException, InterruptedException {
        checkLength(filler.remaining());
        queue.putBulk(Frame.Kind.FILLER, filler, false);
    }

    /**
     * Completes when a consumer has received the head of the stream; exceptionally if that never
     * happens.
     */
    public CompletableFuture<Void> connected() {
        return connected.copy();
    }

    /**
     * Takes no more messages and sends those queued.
     *
     * <p>Flink does not tell a producer that the consumer's TaskManager was lost: then, as with a
     * consumer that never comes, this stays open until {@link #close(Throwable)}.
     *
     * @return completes when the consumer's handler has returned from the last message,
     *     exceptionally if the exchange breaks or is closed before
     */
    public CompletableFuture<Void> finish() {
        queue.finish();
        return finished.copy();
    }

    /**
     * Closes hard: drops what is queued, tells the consumer, releases everything. Returns at once.
     */
    @Override
    public void close() {
        close(null);
    }

    /** As {@link #close()}, giving the reason that both ends report; null for none. */
    public void close(Throwable reason) {
        String message =
                "The producer closed the peer exchange: " + PeerClosedException.reason(reason);
        stop(
                reason == null
                        ? PeerClosedException.endOfTask(message)
                        : new PeerClosedException(message, reason));
    }

    /** Completes, never exceptionally, when partition, buffers and thread's work are gone. */
    public CompletableFuture<Void> terminated() {
        return terminated.copy();
    }

    /** The counters so far. */
    public PeerMetrics metrics() {
        return counters.snapshot();
    }

    private void checkLength(int length) throws IOException {
        if (length > options.maxMessageBytes()) {
            throw new IOException(
                    "A message of "
                            + length
                            + " bytes is too long for the peer exchange, allowed are "
                            + options.maxMessageBytes()
                            + ".");
        }
    }

    /** Network thread, or the reader's thread of a local consumer. */
    private void onFeedback(PeerFeedbackEvent event) {
        queue.onFeedback(event.kind());
        switch (event.kind()) {
            case CONNECTED -> connected.complete(null);
            case CLOSED ->
                    stop(
                            new PeerClosedException(
                                    "The consumer closed the peer exchange: " + event.reason()));
            case ENDED ->
                    stop(
                            PeerClosedException.endOfTask(
                                    "The consumer closed the peer exchange: " + event.reason()));
            case HANDLED ->
                    LOG.debug("Everything sent through {} has been handled.", address.partition());
        }
    }

    private void stop(Throwable cause) {
        if (queue.stop(cause)) {
            synchronized (interruptLock) {
                if (interruptible) {
                    thread.interrupt();
                }
            }
        }
    }

    // ---------------------------------------------------------------- the writer's thread

    private void run() {
        boolean handled = false;
        Throwable failure = null;
        try {
            emit(Frame.Kind.HELLO, Frame.VERSION, null);
            partition.flush(0);
            sendAll();
            if (!queue.stopped()) {
                emit(Frame.Kind.FIN, 0, null);
                partition.flush(0);
                handled = queue.awaitHandled();
            }
        } catch (Throwable t) {
            failure = t;
        }
        synchronized (interruptLock) {
            interruptible = false;
            // Consumed here: the interrupt only meant "stop", and the clean-up below may wait.
            if (Thread.interrupted()) {
                LOG.debug("The writer of {} was interrupted.", address.partition());
            }
        }
        // Why it was stopped says more than the interruption or the destroyed pool that came of it.
        Throwable cause = queue.stop(failure) || handled ? failure : queue.stopCause();
        if (cause != null) {
            abort(cause);
        }
        release(cause);
        if (cause == null) {
            finished.complete(null);
        } else {
            LOG.debug("The peer exchange {} ended early.", address.partition(), cause);
            finished.completeExceptionally(cause);
            connected.completeExceptionally(cause);
        }
        try {
            listener.closed(cause);
        } catch (Throwable t) {
            LOG.error("The listener of peer exchange {} failed.", address.partition(), t);
        } finally {
            terminated.complete(null);
        }
    }

    private void sendAll() throws Exception {
        while (queue.awaitWork(bulkInHand != null)) {
            long start = System.nanoTime();
            sendSignals();
            sendFrameOfBulk();
            if (bulkInHand == null && queue.bulkEmpty() && queue.signalsEmpty()) {
                partition.flush(0);
            }
            counters.busy(System.nanoTime() - start);
        }
    }

    private void sendSignals() throws Exception {
        int sent = 0;
        SendQueue.Entry entry;
        while (sent < SIGNAL_BATCH_BYTES && (entry = queue.pollSignal()) != null) {
            int bytes = entry.payload().remaining();
            do {
                emitNextFrame(Frame.Kind.SIGNAL, entry.payload(), bytes);
            } while (entry.payload().hasRemaining());
            counters.message(Frame.Kind.SIGNAL, bytes);
            sent += bytes + Frame.HEADER_BYTES;
            if (queue.signalSent(bytes)) {
                listener.onRoom();
            }
        }
        if (sent > 0 && queue.signalsEmpty()) {
            partition.flush(0);
        }
    }

    private void sendFrameOfBulk() throws Exception {
        if (bulkInHand == null) {
            bulkInHand = queue.pollBulk();
            if (bulkInHand == null) {
                return;
            }
            bulkInHandBytes = bulkInHand.payload().remaining();
        }
        emitNextFrame(bulkInHand.kind(), bulkInHand.payload(), bulkInHandBytes);
        if (!bulkInHand.payload().hasRemaining()) {
            counters.message(bulkInHand.kind(), bulkInHandBytes);
            queue.bulkSent(bulkInHand, bulkInHandBytes);
            bulkInHand = null;
        }
    }

    private void emitNextFrame(Frame.Kind kind, ByteBuffer message, int messageBytes)
            throws Exception {
        int size = Math.min(message.remaining(), Frame.MAX_PAYLOAD);
        ByteBuffer payload = message.slice(message.position(), size);
        emit(kind, messageBytes, payload);
        message.position(message.position() + size);
    }

    private void emit(Frame.Kind kind, int length, ByteBuffer payload) throws Exception {
        awaitBuffer();
        Frame.header(header, kind, length);
        partition.emitRecord(header, 0);
        if (payload != null && payload.hasRemaining()) {
            partition.emitRecord(payload, 0);
        }
    }

    /**
     * Waits here rather than within {@code emitRecord}, so that the time is counted. A frame may
     * need a second buffer; that one is within Flink's overdraft as a rule.
     */
    private void awaitBuffer() throws InterruptedException {
        if (partition.isAvailable()) {
            return;
        }
        long start = System.nanoTime();
        CompletableFuture<?> available = partition.getAvailableFuture();
        while (!available.isDone()) {
            if (watchedAvailability != available) {
                // Once per future: a callback per wake-up would pile up on a future that is slow to
                // complete.
                watchedAvailability = available;
                available.whenComplete((ok, failed) -> LockSupport.unpark(thread));
            }
            LockSupport.park(this);
            if (Thread.interrupted()) {
                throw new InterruptedException("Stopped while waiting for a network buffer.");
            }
        }
        counters.blocked(System.nanoTime() - start);
    }

    /**
     * Tells the consumer and waits a little for it to notice: what Flink drops with a partition it
     * drops silently.
     */
    private void abort(Throwable cause) {
        try {
            partition.broadcastEvent(new PeerAbortEvent(cause), true);
            queue.awaitConsumerGone(options.closeGrace());
        } catch (Throwable t) {
            // The network is shutting down or broken; the consumer learns of that from Flink.
            LOG.debug("The consumer of {} could not be told of the end.", address.partition(), t);
        }
    }

    /** Idempotent in all its parts; only here and before the thread runs, as Flink asks for. */
    private void release(Throwable cause) {
        network.events().unregisterPartition(address.partition());
        network.shuffle().getResultPartitionManager().releasePartition(address.partition(), cause);
        partition.close();
    }
}
