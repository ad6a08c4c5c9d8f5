package dev.drrs.runtime.task;

import dev.drrs.runtime.message.AskBuffers;
import dev.drrs.runtime.message.BufferNeed;
import dev.drrs.runtime.message.BuffersReserved;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.ReleaseBuffers;
import dev.drrs.runtime.message.ReserveBuffers;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.io.network.buffer.DrrsBufferAccess;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;

/**
 * The network buffers that rescales will take on this task's TaskManager through this task, kept
 * free until they do: a subpartition, channel or exchange for which there is none left would fail
 * the task. What comes next takes its share out of the reservation and gets it from Flink at once.
 *
 * <p>Threads: mailbox, except {@link #channelOpens} and {@link #exchangeOpens}; guarded by its own
 * monitor.
 */
public final class BufferReservations {

    /** What is left of one rescale's. */
    private static final class Reservation {
        private final Map<Integer, Integer> byGate = new HashMap<>();
        private int exchanges;

        private int sum() {
            return exchanges + byGate.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    private final ElasticTask task;
    private final Map<Integer, Reservation> reservations = new HashMap<>();

    BufferReservations(ElasticTask task) {
        this.task = task;
    }

    /** Questions about network buffers are answered here, in the mailbox. */
    public void register(Handlers<ElasticTask, Exception> ofCoordinator) {
        ofCoordinator
                .on(
                        ReserveBuffers.class,
                        (from, wanted) -> answer(wanted.rescale(), reserve(wanted)))
                .on(AskBuffers.class, (from, ask) -> answer(ask.rescale(), lacking(ask)))
                .on(ReleaseBuffers.class, (from, release) -> release(release.rescale()));
    }

    private String lacking(AskBuffers ask) {
        int needed = ask.need().total(buffersPerChannel());
        boolean enough = needed <= DrrsBufferAccess.free(pool());
        return enough ? null : missing(needed, "for the new subtasks there");
    }

    private void answer(int rescale, String fault) throws IOException {
        task.sendToCoordinator(new BuffersReserved(rescale, fault));
    }

    private synchronized String reserve(ReserveBuffers wanted) {
        for (var opening : wanted.subpartitions().entrySet()) {
            OutputBuffers buffers = task.output(opening.getKey()).buffers();
            if (!buffers.reserve(wanted.rescale(), opening.getValue())) {
                return missing(
                        opening.getValue().size(),
                        "for what "
                                + task.streamTask().getName()
                                + " will send to the new subtasks");
            }
        }
        Reservation reservation = new Reservation();
        int each = buffersPerChannel();
        wanted.channels().forEach((gate, n) -> reservation.byGate.put(gate, n * each));
        reservation.exchanges = wanted.exchanges().total(each);
        int sum = reservation.sum();
        if (!DrrsBufferAccess.reserve(pool(), sum)) {
            return missing(sum, "for channels and exchanges of " + task.streamTask().getName());
        }
        reservations.put(wanted.rescale(), reservation);
        return null;
    }

    private String missing(int needed, String what) {
        return "TaskManager "
                + network().taskManager()
                + " has "
                + DrrsBufferAccess.free(pool())
                + " of its "
                + pool().getTotalNumberOfMemorySegments()
                + " network buffers free and needs "
                + needed
                + " "
                + what
                + ": give it more ("
                + TaskManagerOptions.NETWORK_MEMORY_FRACTION.key()
                + ", "
                + TaskManagerOptions.NETWORK_MEMORY_MIN.key()
                + ", "
                + TaskManagerOptions.NETWORK_MEMORY_MAX.key()
                + "), or ask for fewer subtasks";
    }

    private synchronized void release(int rescale) {
        task.outputs().forEach(output -> output.buffers().release(rescale));
        Reservation rest = reservations.remove(rescale);
        if (rest != null) {
            DrrsBufferAccess.release(pool(), rest.sum());
        }
    }

    /** A channel to another TaskManager is about to be made. In a thread of the TaskManager. */
    synchronized void channelOpens(int gate) {
        for (Reservation reservation : reservations.values()) {
            int left = reservation.byGate.getOrDefault(gate, 0);
            int share = Math.min(left, buffersPerChannel());
            if (share > 0) {
                reservation.byGate.put(gate, left - share);
                DrrsBufferAccess.release(pool(), share);
                return;
            }
        }
    }

    /** An end of a peer exchange is about to be made that takes so much. */
    public synchronized void exchangeOpens(int rescale, BufferNeed need) {
        Reservation reservation = reservations.get(rescale);
        if (reservation != null) {
            int share = Math.min(reservation.exchanges, need.total(buffersPerChannel()));
            reservation.exchanges -= share;
            DrrsBufferAccess.release(pool(), share);
        }
    }

    /** The task ends; pools go by themselves. */
    synchronized void close() {
        reservations.values().forEach(rest -> DrrsBufferAccess.release(pool(), rest.sum()));
        reservations.clear();
    }

    private int buffersPerChannel() {
        return network().shuffle().getConfiguration().networkBuffersPerChannel();
    }

    private NetworkBufferPool pool() {
        return network().shuffle().getNetworkBufferPool();
    }

    private PeerNetwork network() {
        return ShuffleEnvironments.of(task.environment());
    }
}
