package dev.drrs.runtime.peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.deployment.InputGateDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.ShuffleDescriptorAndIndex;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.shuffle.ShuffleIOOwnerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consuming end of a peer exchange: an input gate with one channel, local or remote, emptied by
 * a daemon thread.
 *
 * <p>All of the gate's life happens on that thread, so closing from elsewhere races with nothing. A
 * handler that blocks holds up the stream: credit runs out and the writer's lanes fill.
 */
public final class PeerReader implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PeerReader.class);

    private static final int BATCH_MESSAGES = 256;
    private static final int BATCH_BYTES = 1 << 20;

    /** Takes the messages; all calls come from the reader's thread, one after the other. */
    public interface Handler {

        /**
         * One message, in the order of its lane. The buffer is on the heap. That of a signal is the
         * handler's own, that of a bulk message only until the call returns.
         *
         * @throws Exception ends the exchange; it comes back in {@link #closed}
         */
        void message(ByteBuffer message) throws Exception;

        /**
         * Messages were handed over since the last call and no more are there yet, or the batch is
         * long enough. Always called before the exchange counts as handled.
         *
         * @throws Exception ends the exchange; it comes back in {@link #closed}
         */
        default void batchEnd() throws Exception {}

        /**
         * The last call: everything is released.
         *
         * @param failure null if the stream was finished and handled, or closed from this end
         *     without a reason
         */
        default void closed(Throwable failure) {}
    }

    private final PeerNetwork network;
    private final String name;
    private final PeerAddress address;
    private final Handler handler;
    private final FrameDecoder decoder;
    private final PeerCounters counters = new PeerCounters();
    private final FillerMeter filler = new FillerMeter();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private final Thread thread;

    /** What other threads want done with the gate. */
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();

    /** Guards the three fields below: a close may interrupt the handler and nothing else. */
    private final Object closeLock = new Object();

    private boolean closeRequested;
    private Throwable closeReason;
    private boolean inHandler;

    // The reader's thread only.
    private SingleInputGate gate;
    private CompletableFuture<?> watchedAvailability;
    private int batchMessages;
    private long batchBytes;
    private boolean greeted;
    private boolean finished;

    private PeerReader(
            PeerNetwork network,
            String name,
            PeerAddress address,
            PeerOptions options,
            Handler handler) {
        this.network = network;
        this.name = name;
        this.address = address;
        this.handler = handler;
        this.decoder = new FrameDecoder(options.maxMessageBytes(), new Dispatcher());
        this.thread = new Thread(this::run, "drrs-peer-reader-" + name);
        thread.setDaemon(true);
    }

    /** See {@link PeerNetwork#openReader}. */
    static PeerReader open(
            PeerNetwork network,
            String name,
            PeerAddress address,
            PeerOptions options,
            Handler handler) {
        PeerReader reader =
                new PeerReader(
                        network,
                        name,
                        Objects.requireNonNull(address, "address"),
                        Objects.requireNonNull(options, "options"),
                        Objects.requireNonNull(handler, "handler"));
        reader.thread.start();
        return reader;
    }

    /** Completes when the head of the stream has arrived; exceptionally if that never happens. */
    public CompletableFuture<Void> connected() {
        return connected.copy();
    }

    /**
     * Stops reading, drops what has not been handed over, releases everything. Any thread; returns
     * at once. A handler that blocks is interrupted. While the TCP connection is being made the
     * release waits for that.
     */
    @Override
    public void close() {
        close(null);
    }

    /** As {@link #close()}, giving the reason that both ends report; null for none. */
    public void close(Throwable reason) {
        synchronized (closeLock) {
            if (closeRequested) {
                return;
            }
            closeRequested = true;
            closeReason = reason;
            if (inHandler && Thread.currentThread() != thread) {
                thread.interrupt();
            }
        }
        LockSupport.unpark(thread);
    }

    /**
     * Completes, never exceptionally, when gate and buffers are gone and {@link Handler#closed} has
     * returned.
     */
    public CompletableFuture<Void> terminated() {
        return terminated.copy();
    }

    /** The counters so far. */
    public PeerMetrics metrics() {
        return counters.snapshot();
    }

    /** The filler that has arrived so far and how fast, see {@link RawThroughput}. */
    public RawThroughput.Rate fillerRate() {
        return filler.rate();
    }

    // ---------------------------------------------------------------- the reader's thread

    private void run() {
        Throwable failure = null;
        try {
            if (!closeRequested()) {
                openGate();
            }
            while (!finished && !closeRequested()) {
                step();
            }
        } catch (Throwable t) {
            failure = t;
        }
        synchronized (closeLock) {
            if (closeRequested && !finished) {
                // An interrupted handler fails in its own way; the close is why.
                failure = closeReason;
            }
        }
        if (failure instanceof CancelTaskException) {
            failure =
                    new PeerClosedException(
                            "The partition was released: " + PeerClosedException.reason(failure),
                            failure);
        }
        if (greeted) {
            // HANDLED goes out here, after the last batch, and only then: it promises that the
            // handler has returned.
            boolean handled = finished && failure == null;
            PeerFeedbackEvent.Kind gone =
                    failure == null ? PeerFeedbackEvent.Kind.ENDED : PeerFeedbackEvent.Kind.CLOSED;
            sendFeedback(
                    handled ? PeerFeedbackEvent.Kind.HANDLED : gone,
                    handled ? "" : PeerClosedException.reason(failure));
        }
        closeGate();
        connected.completeExceptionally(
                failure != null
                        ? failure
                        : new PeerClosedException("The consumer closed the peer exchange."));
        try {
            handler.closed(failure);
        } catch (Throwable t) {
            LOG.error("The handler of peer exchange {} failed at its end.", address.partition(), t);
        } finally {
            terminated.complete(null);
        }
    }

    private void openGate() throws IOException, InterruptedException {
        boolean local = address.taskManager().equals(network.taskManager());
        if (!local && address.dataPort() <= 0) {
            throw new IOException(
                    "TaskManager "
                            + address.taskManager()
                            + " accepts local connections only: it has no data port.");
        }
        ShuffleIOOwnerContext owner =
                network.shuffle()
                        .createShuffleIOOwnerContext(
                                "peer exchange of " + name,
                                ExecutionAttemptID.randomId(),
                                new UnregisteredMetricsGroup());
        InputGateDeploymentDescriptor descriptor =
                new InputGateDeploymentDescriptor(
                        address.dataSet(),
                        ResultPartitionType.PIPELINED_BOUNDED,
                        0,
                        new ShuffleDescriptorAndIndex[] {
                            new ShuffleDescriptorAndIndex(PeerWriter.descriptor(address), 0)
                        });
        gate =
                network.shuffle()
                        .createInputGates(
                                owner,
                                (dataSet, partition, response) -> {
                                    // Network thread: the partition is not there (yet). The answer
                                    // re-sends the
                                    // request, under the gate's locks, hence on the thread that
                                    // owns the gate.
                                    commands.add(() -> response.accept(new ProducerRuns(this)));
                                    LockSupport.unpark(thread);
                                },
                                List.of(descriptor))
                        .get(0);
        gate.setup();
        gate.setChannelStateWriter(ChannelStateWriter.NO_OP);
        // Flink makes every channel a recovered one first. There is nothing to recover: read over
        // the end of it.
        gate.finishReadRecoveredState();
        while (!gate.getStateConsumedFuture().isDone()) {
            if (gate.pollNext().isPresent()) {
                throw new IllegalStateException("Data arrived before the partition was requested.");
            }
        }
        gate.requestPartitions();
    }

    private void step() throws Exception {
        Runnable command;
        while ((command = commands.poll()) != null) {
            command.run();
        }
        Optional<BufferOrEvent> next = gate.pollNext();
        if (next.isEmpty()) {
            endBatch();
            await(gate.getAvailableFuture());
        } else if (next.get().isBuffer()) {
            Buffer buffer = next.get().getBuffer();
            try {
                consume(buffer);
            } finally {
                buffer.recycleBuffer();
            }
        } else {
            onEvent(next.get().getEvent());
        }
    }

    private void consume(Buffer buffer) throws Exception {
        enterHandler();
        try {
            decoder.feed(buffer.getNioBufferReadable());
        } finally {
            leaveHandler();
        }
        if (batchMessages >= BATCH_MESSAGES || batchBytes >= BATCH_BYTES || finished) {
            endBatch();
        }
        if (greeted && connected.complete(null)) {
            sendFeedback(PeerFeedbackEvent.Kind.CONNECTED, "");
        }
    }

    private void endBatch() throws Exception {
        if (batchMessages == 0) {
            return;
        }
        batchMessages = 0;
        batchBytes = 0;
        enterHandler();
        long start = System.nanoTime();
        try {
            handler.batchEnd();
        } finally {
            counters.busy(System.nanoTime() - start);
            leaveHandler();
        }
    }

    private void onEvent(AbstractEvent event) throws IOException {
        if (event instanceof PeerAbortEvent abort) {
            throw abort.failure();
        }
        throw new IOException("Unexpected event on the peer exchange: " + event);
    }

    /** Until data, a command or a close; returns early now and then, which does no harm. */
    private void await(CompletableFuture<?> available) {
        if (watchedAvailability != available) {
            // Once per future: a callback per wake-up would pile up on a future that is slow to
            // complete.
            watchedAvailability = available;
            available.whenComplete((ok, failed) -> LockSupport.unpark(thread));
        }
        if (!available.isDone() && commands.isEmpty() && !closeRequested()) {
            LockSupport.park(this);
        }
    }

    private void sendFeedback(PeerFeedbackEvent.Kind kind, String reason) {
        try {
            gate.sendTaskEvent(new PeerFeedbackEvent(kind, reason));
        } catch (IOException | RuntimeException e) {
            // The producer has gone already, or its TaskManager: then nobody waits for this, and
            // the gate reports it.
            LOG.debug("The producer of {} could not be told {}.", address.partition(), kind, e);
        }
    }

    private void closeGate() {
        if (gate == null) {
            return;
        }
        try {
            gate.close();
        } catch (IOException e) {
            LOG.warn("The gate of peer exchange {} did not close cleanly.", address.partition(), e);
        }
    }

    private boolean closeRequested() {
        synchronized (closeLock) {
            return closeRequested;
        }
    }

    private void enterHandler() throws PeerClosedException {
        synchronized (closeLock) {
            if (closeRequested) {
                throw new PeerClosedException("The consumer closed the peer exchange.");
            }
            inHandler = true;
        }
    }

    private void leaveHandler() {
        synchronized (closeLock) {
            inHandler = false;
            if (closeRequested && Thread.interrupted()) {
                LOG.debug("The handler of {} was interrupted by a close.", address.partition());
            }
        }
    }

    private final class Dispatcher implements FrameDecoder.Sink {

        @Override
        public void hello() {
            greeted = true;
        }

        @Override
        public void message(Frame.Kind kind, ByteBuffer message) throws Exception {
            if (closeRequested()) {
                throw new PeerClosedException("The consumer closed the peer exchange.");
            }
            int bytes = message.remaining();
            counters.message(kind, bytes);
            batchMessages++;
            batchBytes += bytes;
            long start = System.nanoTime();
            try {
                handler.message(message);
            } finally {
                counters.busy(System.nanoTime() - start);
            }
        }

        @Override
        public void filler(int bytes) {
            counters.message(Frame.Kind.FILLER, bytes);
            filler.add(bytes);
        }

        @Override
        public void fin() {
            finished = true;
        }
    }
}
