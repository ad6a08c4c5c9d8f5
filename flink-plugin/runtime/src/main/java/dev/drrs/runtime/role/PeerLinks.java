package dev.drrs.runtime.role;

import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.message.BufferNeed;
import dev.drrs.runtime.message.PeerLink;
import dev.drrs.runtime.message.ReaderReady;
import dev.drrs.runtime.message.WriterReady;
import dev.drrs.runtime.peer.PeerAddress;
import dev.drrs.runtime.peer.PeerMetrics;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.PeerOptions;
import dev.drrs.runtime.peer.PeerReader;
import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.peer.RawThroughput;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * The peer exchanges of one subtask in the rescale under way, by the subtask at the other end. A
 * broken exchange fails the task; which one is broken says {@link EndedPeers}.
 *
 * <p>Crossing point: all is called in the mailbox thread; ends are made by the transfer thread,
 * which hands them over as mails; ends tell in threads of their own that they are gone.
 */
final class PeerLinks {

    private static final int PROBE_WARM_UP_MIB = 8;

    private final ElasticTask task;
    private final PeerOptions options;
    private final Executor transfers;
    private final Runnable onRoom;
    private final EndedPeers endedPeers;
    private final Function<Integer, PeerReader.Handler> handlers;
    private final Map<Integer, PeerWriter> writers = new HashMap<>();
    private final Map<Integer, PeerReader> readers = new HashMap<>();
    private final List<AutoCloseable> probes = new ArrayList<>();

    /**
     * Finished ends that wait for the other one. It may never answer, if its TaskManager is lost
     * just then. Ends leave it in threads of their own.
     */
    private final Set<AutoCloseable> finishing = ConcurrentHashMap.newKeySet();

    /** Rescales that are over: what becomes of their exchanges is of no interest any more. */
    private final Set<Integer> ended = new HashSet<>();

    /** Opened by the transfer thread, not known to the mailbox yet. */
    private final Set<AutoCloseable> unclaimed = ConcurrentHashMap.newKeySet();

    /** Written in the mailbox, read by the transfer thread too. */
    private volatile boolean closed;

    /** Bytes per second; written by the transfer thread. */
    private volatile double probed;

    /**
     * @param handlers what takes the messages of a subtask
     * @param onRoom runs in the mailbox when an exchange has room again
     * @param exchanging whether a subscale may still need the exchange with a subtask; mailbox
     */
    PeerLinks(
            ElasticTask task,
            PeerOptions options,
            Executor transfers,
            Function<Integer, PeerReader.Handler> handlers,
            Runnable onRoom,
            IntPredicate exchanging) {
        this.task = task;
        this.options = options;
        this.transfers = transfers;
        this.handlers = handlers;
        this.onRoom = onRoom;
        this.endedPeers = new EndedPeers(exchanging);
    }

    PeerWriter to(int subtask) {
        PeerWriter writer = writers.get(subtask);
        if (writer == null) {
            throw new IllegalStateException("no peer exchange to subtask " + subtask);
        }
        return writer;
    }

    /** In the transfer thread: making partition and buffer pool takes tens of milliseconds. */
    void openWriter(PeerLink link, int probeMebibytes) {
        PeerNetwork network = network();
        String name = name(link);
        transfers.execute(
                () -> {
                    try {
                        task.buffers()
                                .exchangeOpens(
                                        link.rescale(), new BufferNeed(BufferNeed.OF_WRITER, 0));
                        PeerWriter writer = network.openWriter(name, options, new WriterEnd(link));
                        handOver(writer, () -> opened(link, writer, probeMebibytes));
                    } catch (Throwable t) { // also an Error: nobody else would hear of it
                        fail(link, t);
                    }
                });
    }

    /** Transfer thread. The task may end before its mailbox takes the end: it is closed then. */
    private void handOver(AutoCloseable end, ThrowingRunnable<IOException> opened) {
        unclaimed.add(end);
        if (closed) { // else close() finds it
            closeHard(end, null);
        }
        task.executeIfRunning(
                () -> {
                    unclaimed.remove(end);
                    opened.run();
                },
                "peer exchange opened");
    }

    private void opened(PeerLink link, PeerWriter writer, int probeMebibytes) throws IOException {
        task.sendToCoordinator(new WriterReady(link, writer.address()));
        if (link.probe()) {
            probes.add(writer);
            transfers.execute(() -> probe(link, writer, probeMebibytes));
        } else {
            writers.put(link.to(), writer);
        }
    }

    /** In the transfer thread: a codec of its own, with copies of the job's serializers. */
    void openReader(PeerLink link, PeerAddress address) {
        transfers.execute(
                () -> {
                    try {
                        handOver(link, connect(link, address));
                    } catch (Throwable t) { // also an Error: nobody else would hear of it
                        fail(link, t);
                    }
                });
    }

    /** Transfer thread. */
    private PeerReader connect(PeerLink link, PeerAddress address) {
        PeerReader.Handler handler = link.probe() ? message -> {} : handlers.apply(link.from());
        boolean remote = !address.taskManager().equals(network().taskManager());
        task.buffers()
                .exchangeOpens(link.rescale(), new BufferNeed(BufferNeed.OF_GATE, remote ? 1 : 0));
        return network().openReader(name(link), address, options, new ReaderEnd(handler, link));
    }

    /** Transfer thread. */
    private void handOver(PeerLink link, PeerReader reader) {
        handOver(reader, () -> opened(link, reader));
        if (link.probe()) {
            return; // the writer says when it is through
        }
        reader.connected()
                .whenComplete(
                        (done, failure) -> {
                            if (failure == null) { // a failure arrives in the handler
                                task.executeIfRunning(
                                        () -> task.sendToCoordinator(new ReaderReady(link)),
                                        "peer exchange connected");
                            }
                        });
    }

    private void opened(PeerLink link, PeerReader reader) {
        if (ended.contains(link.rescale())) { // withdrawn meanwhile
            keepUntil(reader.terminated(), reader);
        } else if (link.probe()) {
            probes.add(reader);
        } else {
            readers.put(link.from(), reader);
        }
    }

    private void probe(PeerLink link, PeerWriter writer, int mebibytes) {
        try {
            probed = RawThroughput.measure(writer, PROBE_WARM_UP_MIB, mebibytes).bytesPerSecond();
            task.executeIfRunning(
                    () -> task.sendToCoordinator(new ReaderReady(link)), "peer exchange probed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable t) { // also an Error: nobody else would hear of it
            fail(link, t);
        }
    }

    /** Bytes per second of the probe, 0 if there was none. */
    double probed() {
        return probed;
    }

    /** Bytes sent, state and signals. */
    long bytes() {
        return writers.values().stream()
                .map(PeerWriter::metrics)
                .mapToLong(PeerMetrics::bytes)
                .sum();
    }

    /** Of these, state in chunks. */
    long stateBytes() {
        return writers.values().stream()
                .map(PeerWriter::metrics)
                .mapToLong(PeerMetrics::bulkBytes)
                .sum();
    }

    /** Milliseconds with something to send, of the busiest exchange. */
    long busyMillis() {
        return writers.values().stream()
                        .map(PeerWriter::metrics)
                        .mapToLong(PeerMetrics::busyNanos)
                        .max()
                        .orElse(0)
                / 1_000_000;
    }

    /**
     * All messages were sent: writers say so, and the readers at the other ends close with them.
     */
    void finish(int rescale) {
        ended.add(rescale);
        for (PeerReader reader : readers.values()) {
            keepUntil(reader.terminated(), reader);
        }
        for (PeerWriter writer : writers.values()) {
            keepUntil(writer.terminated(), writer);
            writer.finish();
        }
        writers.clear();
        readers.clear();
        probes.clear();
        endedPeers.clear();
    }

    /** A subscale is opened whose old owner is that one. */
    void needed(int subtask) throws RescaleFailedException {
        endedPeers.needed(subtask);
    }

    private void keepUntil(CompletableFuture<Void> terminated, AutoCloseable end) {
        finishing.add(end);
        terminated.thenRun(() -> finishing.remove(end));
    }

    /**
     * Hard, when the task ends.
     *
     * @param failure what the other ends are told, null for nothing
     */
    void close(Throwable failure) {
        closed = true;
        IOException reason = failure == null ? null : new IOException("its task fails", failure);
        unclaimed.forEach(end -> closeHard(end, reason));
        finishing.forEach(end -> closeHard(end, reason));
        writers.values().forEach(end -> closeHard(end, reason));
        readers.values().forEach(end -> closeHard(end, reason));
        probes.forEach(end -> closeHard(end, reason));
    }

    private static void closeHard(AutoCloseable end, Throwable reason) {
        if (end instanceof PeerWriter writer) {
            writer.close(reason);
        } else {
            ((PeerReader) end).close(reason);
        }
    }

    private PeerNetwork network() {
        return ShuffleEnvironments.of(task.environment());
    }

    private String name(PeerLink link) {
        return task.streamTask().getName() + " " + link.from() + "->" + link.to();
    }

    /** At either end of it. */
    private void fail(PeerLink link, Throwable failure) {
        int own = task.environment().getTaskInfo().getIndexOfThisSubtask();
        int peer = link.from() == own ? link.to() : link.from();
        task.executeIfRunning(
                () -> {
                    if (!closed && !ended.contains(link.rescale())) {
                        endedPeers.gone(peer, link.from() + " -> " + link.to(), failure);
                    }
                },
                "peer exchange broken");
    }

    private final class WriterEnd implements PeerWriter.Listener {
        private final PeerLink link;

        WriterEnd(PeerLink link) {
            this.link = link;
        }

        @Override
        public void onRoom() {
            task.executeIfRunning(onRoom::run, "peer exchange has room");
        }

        @Override
        public void closed(Throwable failure) {
            if (failure != null) {
                fail(link, failure);
            }
        }
    }

    private final class ReaderEnd implements PeerReader.Handler {
        private final PeerReader.Handler handler;
        private final PeerLink link;

        ReaderEnd(PeerReader.Handler handler, PeerLink link) {
            this.handler = handler;
            this.link = link;
        }

        @Override
        public void message(ByteBuffer message) throws Exception {
            handler.message(message);
        }

        @Override
        public void batchEnd() throws Exception {
            handler.batchEnd();
        }

        @Override
        public void closed(Throwable failure) {
            if (failure != null) {
                fail(link, failure);
            }
        }
    }
}
