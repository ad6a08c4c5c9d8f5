package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.shuffle.ShuffleEnvironmentContext;
import org.apache.flink.util.concurrent.ScheduledExecutorServiceAdapter;

/**
 * The network of a TaskManager, on a free port of the loop-back interface, and whether it leaks.
 */
public final class TestTaskManager implements AutoCloseable {

    private static final Duration LEAK_LIMIT = Duration.ofSeconds(20);

    public final PeerNetwork network;

    private final NettyShuffleEnvironment shuffle;
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
    private final int freeSegments;

    public TestTaskManager(String name) throws IOException {
        this(name, new Configuration());
    }

    public TestTaskManager(String name, Configuration configuration) throws IOException {
        Path tmp = Files.createTempDirectory("peer");
        tmp.toFile().deleteOnExit();
        configuration.set(NettyShuffleEnvironmentOptions.DATA_PORT, 0);
        configuration.set(
                TaskManagerOptions.MEMORY_SEGMENT_SIZE, MemorySize.ofMebiBytes(32).divide(1024));
        TaskEventDispatcher events = new TaskEventDispatcher();
        ResourceID id = new ResourceID(name);
        InetAddress address = InetAddress.getLoopbackAddress();
        shuffle =
                new NettyShuffleServiceFactory()
                        .createShuffleEnvironment(
                                new ShuffleEnvironmentContext(
                                        configuration,
                                        id,
                                        MemorySize.ofMebiBytes(16),
                                        false,
                                        address,
                                        1,
                                        new String[] {tmp.toString()},
                                        events,
                                        new UnregisteredMetricsGroup(),
                                        executor,
                                        new ScheduledExecutorServiceAdapter(executor)));
        int port = shuffle.start();
        network = new PeerNetwork(shuffle, events, id, address.getHostAddress(), port);
        freeSegments = freeSegments();
    }

    int freeSegments() {
        return shuffle.getNetworkBufferPool().getNumberOfAvailableMemorySegments();
    }

    private int bufferPools() {
        return shuffle.getNetworkBufferPool().getNumberOfRegisteredBufferPools();
    }

    int partitions() {
        return shuffle.getPartitionsOccupyingLocalResources().size();
    }

    /**
     * Network threads hand back the last buffers a moment after the exchange has ended: hence the
     * time limit.
     */
    public void assertNothingLeaks() throws InterruptedException {
        long end = System.nanoTime() + LEAK_LIMIT.toNanos();
        while ((freeSegments() != freeSegments || partitions() != 0 || bufferPools() != 0)
                && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        assertThat(freeSegments()).as("free network buffers").isEqualTo(freeSegments);
        assertThat(partitions()).as("partitions left").isZero();
        assertThat(bufferPools()).as("buffer pools left").isZero();
    }

    @Override
    public void close() {
        shuffle.close();
        executor.shutdownNow();
    }

    /** Threads of exchanges that still run. */
    static long exchangeThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.isAlive() && t.getName().startsWith("drrs-peer-"))
                .count();
    }

    public static void assertNoThreadsLeft() throws InterruptedException {
        long end = System.nanoTime() + LEAK_LIMIT.toNanos();
        while (exchangeThreads() > 0 && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        assertThat(exchangeThreads()).as("threads of exchanges").isZero();
    }
}
