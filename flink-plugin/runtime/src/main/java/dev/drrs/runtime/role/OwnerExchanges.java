package dev.drrs.runtime.role;

import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.LostService;
import dev.drrs.runtime.peer.PeerOptions;
import dev.drrs.runtime.peer.PeerReader;
import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.task.ElasticTask;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;

/**
 * The peer exchanges of one subtask, the key groups on their way over them, and the thread that
 * sends these; another one sends copies ahead, a third one wakes the mailbox for what waits for its
 * turn, a few read shared storage. Mailbox thread only; what crosses is in {@link PeerLinks} and
 * {@link StateTransfer}.
 */
final class OwnerExchanges {

    private static final int IDLE_SECONDS = 2;
    private static final int SIGNALS = 1 << 16;

    private final ExecutorService transfers;
    private final ExecutorService copying;
    private final ScheduledExecutorService timer;
    private final StoredState stored;
    private final StateTransfer transfer;
    private final PeerLinks links;

    /**
     * @param options of the job
     * @param codecs one for each thread
     * @param receiver of what comes from old owners
     * @param onRoom runs in the mailbox when an exchange has room again
     * @param served as the receiver measures it
     * @param exchanging as {@link PeerLinks} asks
     */
    OwnerExchanges(
            ElasticTask task,
            Configuration options,
            Supplier<PeerCodec> codecs,
            StateTransfer.Receiver receiver,
            Runnable onRoom,
            ServedTime served,
            IntPredicate exchanging) {
        String name = task.streamTask().getName();
        transfers = thread("drrs-transfer-" + name, Thread.NORM_PRIORITY);
        copying = thread("drrs-copy-" + name, Thread.MIN_PRIORITY);
        timer = timer("drrs-pace-" + name);
        stored =
                new StoredState(work -> thread(work, "drrs-storage-" + name, Thread.NORM_PRIORITY));
        LostService budget = LostService.of(options);
        long signalBytes = options.get(DrrsOptions.EXCHANGE_SIGNAL_MEMORY).getBytes();
        transfer =
                new StateTransfer(
                        task,
                        receiver,
                        codecs,
                        transfers,
                        copying,
                        timer,
                        budget,
                        served,
                        stored,
                        signalBytes,
                        this::to);
        PeerOptions peerOptions =
                PeerOptions.DEFAULT
                        .withSignalQueue(signalBytes, SIGNALS)
                        .withBulkQueueBytes(
                                options.get(DrrsOptions.EXCHANGE_STATE_MEMORY).getBytes());
        links = new PeerLinks(task, peerOptions, transfers, from -> handler(), onRoom, exchanging);
    }

    /** One thread that is there only while state is under way. */
    private static ExecutorService thread(String name, int priority) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        work -> thread(work, name, priority));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Its thread too is there only while it is needed. */
    private static ScheduledExecutorService timer(String name) {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(
                        1, work -> thread(work, name, Thread.NORM_PRIORITY));
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static Thread thread(Runnable work, String name, int priority) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.setPriority(priority);
        return thread;
    }

    private PeerReader.Handler handler() {
        return transfer.handler();
    }

    /** As {@link PeerLinks#to}. */
    PeerWriter to(int subtask) {
        return links.to(subtask);
    }

    PeerLinks links() {
        return links;
    }

    StateTransfer transfer() {
        return transfer;
    }

    /** As {@link PeerLinks#close}; nothing is sent any more. */
    void close(Throwable failure) {
        links.close(failure);
        transfers.shutdownNow();
        copying.shutdownNow();
        timer.shutdownNow();
        stored.close();
    }
}
