package dev.drrs.runtime.peer;

import java.io.IOException;
import java.util.Objects;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;

/**
 * One TaskManager's network, as far as peer exchanges need it. Immutable, any thread.
 *
 * @param shuffle the TaskManager's shuffle environment
 * @param events the TaskManager's dispatcher of backward events; the one that {@code shuffle}
 *     publishes to
 * @param taskManager the id that {@code shuffle} was made with
 * @param host where other TaskManagers reach this one
 * @param dataPort on which port, 0 or less if local connections only
 */
public record PeerNetwork(
        NettyShuffleEnvironment shuffle,
        TaskEventDispatcher events,
        ResourceID taskManager,
        String host,
        int dataPort) {

    public PeerNetwork {
        Objects.requireNonNull(shuffle, "shuffle");
        Objects.requireNonNull(events, "events");
        Objects.requireNonNull(taskManager, "taskManager");
        Objects.requireNonNull(host, "host");
    }

    /**
     * Opens the producing end. When this returns the partition is registered: a consumer may
     * connect at once.
     *
     * @param name for thread names and logs
     * @throws IOException if the TaskManager has too few network buffers left
     */
    public PeerWriter openWriter(String name, PeerOptions options, PeerWriter.Listener listener)
            throws IOException {
        return PeerWriter.open(this, name, options, listener);
    }

    /**
     * Opens the consuming end. Returns at once; connecting happens on the reader's own thread, and
     * whatever fails there arrives in {@link PeerReader.Handler#closed}.
     *
     * @param name for thread names and logs
     */
    public PeerReader openReader(
            String name, PeerAddress address, PeerOptions options, PeerReader.Handler handler) {
        return PeerReader.open(this, name, address, options, handler);
    }
}
