package dev.drrs.runtime.role;

import dev.drrs.protocol.GateReport;
import dev.drrs.protocol.Strategies;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.backend.StateBackendSupport;
import dev.drrs.runtime.message.BufferNeed;
import dev.drrs.runtime.message.Configure;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.peer.PeerAddress;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import dev.drrs.runtime.rehearsal.PluginClasses;
import dev.drrs.runtime.rehearsal.RehearsalEndedException;
import dev.drrs.runtime.rehearsal.RehearsalPart;
import dev.drrs.runtime.rehearsal.Rehearsals;
import dev.drrs.runtime.rehearsal.Stage;
import dev.drrs.runtime.state.ScratchState;
import dev.drrs.runtime.supported.StateBackends;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.buffer.DrrsBufferAccess;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.taskexecutor.TaskManagerServices;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.SerializedValue;

/**
 * Key groups move to and fro between two {@link ScratchOwner}s over the TaskManager's own network,
 * one way as to another TaskManager and one way as within one, subscale by subscale, with records
 * and event time. This has the part of coordinator and predecessors. In the stage's thread.
 */
final class OwnerRehearsal implements RehearsalPart {

    /** So many times there and back; then the code that does most of the work is compiled. */
    private static final int ROUNDS = 6;

    private static final int SUBSCALES = 4;
    private static final int KEYS = 2_000;
    private static final int RECORDS = 100;
    private static final int SIZE_SAMPLES = 4;
    private static final int CHUNK_BYTES = (int) DrrsOptions.STATE_CHUNK.defaultValue().getBytes();

    /** What is free of network buffers, as a multiple of what is taken of them for a moment. */
    private static final int PLENTY = 16;

    private final StateBackendSupport backend;
    private final PeerNetwork network;
    private Stage stage;
    private ScratchOwner[] owners;

    /** The subscale under way. */
    private Move move;

    private boolean joined;
    private long now;
    private long bytes;

    /**
     * @param network of the TaskManager
     */
    OwnerRehearsal(StateBackendSupport backend, PeerNetwork network) {
        this.backend = backend;
        this.network = network;
    }

    /** To be called when a task of an elastic job runs; in its mailbox. */
    static void taskStarted(ElasticTask task) {
        if (Configuration.fromMap(task.info().settings()).get(DrrsOptions.REHEARSAL)) {
            started(ShuffleEnvironments.of(task.environment()));
        }
    }

    /**
     * To be called when a TaskManager starts, in whatever thread. Unless its configuration says no,
     * it rehearses before it has any task: nobody knows which one a new subtask will come to.
     */
    static void taskManagerStarted(TaskManagerServices services, Configuration configuration) {
        if (configuration.get(DrrsOptions.REHEARSAL)
                && services.getShuffleEnvironment() instanceof NettyShuffleEnvironment) {
            started(ShuffleEnvironments.networkOf(services));
        }
    }

    private static void started(PeerNetwork network) {
        Rehearsals.OF_TASKS.started(network.shuffle()::isClosed, () -> allParts(network));
    }

    private static List<RehearsalPart> allParts(PeerNetwork network) {
        List<RehearsalPart> parts = new ArrayList<>();
        parts.add(PluginClasses.ofTasks());
        StateBackends.ALL.kinds().forEach(kind -> parts.add(new OwnerRehearsal(kind, network)));
        return parts;
    }

    @Override
    public String run(Stage on) throws Exception {
        stage = on;
        checkBuffers();
        ScratchState one = backend.scratch(CHUNK_BYTES).orElse(null);
        if (one == null) {
            return "nothing of backend " + backend.type();
        }
        ExecutorService transfers =
                Executors.newSingleThreadExecutor(
                        work -> {
                            Thread thread = new Thread(work, "drrs-rehearsal-transfer");
                            thread.setDaemon(true);
                            return thread;
                        });
        try (one;
                ScratchState other = backend.scratch(CHUNK_BYTES).orElseThrow();
                ScratchOwner first = new ScratchOwner(0, on, network, one, transfers, this::told);
                ScratchOwner second =
                        new ScratchOwner(1, on, network, other, transfers, this::told)) {
            owners = new ScratchOwner[] {first, second};
            connect();
            int subscales = moveToAndFro();
            finish();
            return subscales + " subscales of " + bytes + " bytes";
        } finally {
            transfers.shutdownNow();
        }
    }

    /** A job that starts just now is to find what it needs. */
    private void checkBuffers() throws RehearsalEndedException {
        BufferNeed need = new BufferNeed(2 * (BufferNeed.OF_WRITER + BufferNeed.OF_GATE), 1);
        int taken = need.total(network.shuffle().getConfiguration().networkBuffersPerChannel());
        int free = DrrsBufferAccess.free(network.shuffle().getNetworkBufferPool());
        if (free < PLENTY * taken) {
            throw new RehearsalEndedException(
                    free
                            + " network buffers are free, and only with "
                            + PLENTY * taken
                            + " it takes some of them");
        }
    }

    private void connect() throws Exception {
        owners[0].openReader(owners[1].address());
        owners[1].openReader(asFromElsewhere(owners[0].address()));
        for (ScratchOwner owner : owners) {
            owner.wakeWhenConnected();
        }
        stage.runUntil(() -> owners[0].isConnected() && owners[1].isConnected());
    }

    /** Flink reads what another TaskManager has over TCP. */
    private static PeerAddress asFromElsewhere(PeerAddress address) {
        return address.dataPort() <= 0
                ? address
                : new PeerAddress(
                        ResourceID.generate(),
                        address.host(),
                        address.dataPort(),
                        address.partition(),
                        address.dataSet());
    }

    private int moveToAndFro() throws Exception {
        for (ScratchOwner owner : owners) {
            owner.handle(sent(new Configure(Strategies.DEFAULT, Map.of())));
        }
        for (int key = 0; key < KEYS; key++) {
            owners[0].record(key % ScratchOwner.CHANNELS, "key " + key, key);
        }
        owners[0].state().movable().mover().sizes(SIZE_SAMPLES);
        owners[0].state().movable().sampleKeys(KEYS);
        int entries = owners[0].state().entries();
        int subscales = 0;
        for (int round = 0; round < 2 * ROUNDS; round++) {
            for (int part = 0; part < SUBSCALES; part++) {
                moveOne(subscales++, round % 2, part);
                stage.rest();
            }
        }
        check(entries);
        return subscales;
    }

    private void moveOne(int id, int from, int part) throws Exception {
        int[] keyGroups =
                IntStream.range(0, owners[0].state().keyGroups())
                        .filter(keyGroup -> keyGroup % SUBSCALES == part)
                        .toArray();
        move = new Move(id, from, 1 - from, keyGroups);
        joined = false;
        newOwner().handle(sent(new Register(move)));
        stage.runUntil(() -> joined);
    }

    private ScratchOwner oldOwner() {
        return owners[move.oldOwner()];
    }

    private ScratchOwner newOwner() {
        return owners[move.newOwner()];
    }

    /** As it comes out of the network. */
    private static OperatorEvent sent(OperatorEvent message)
            throws IOException, ClassNotFoundException {
        return new SerializedValue<>(message)
                .deserializeValue(OwnerRehearsal.class.getClassLoader());
    }

    private void told(OperatorEvent message) {
        try {
            GateReported arrived = (GateReported) sent(message);
            bytes += arrived.bytes();
            for (GateReport report : arrived.reports()) {
                reported(report);
            }
        } catch (Exception e) {
            ExceptionUtils.rethrow(e);
        }
    }

    private void reported(GateReport report) throws Exception {
        if (report instanceof GateReport.Promised promised) {
            oldOwner().handle(sent(new Track(move, promised.promised())));
        } else if (report instanceof GateReport.Ready) {
            oldOwner().handle(sent(new Start(move.id())));
            predecessorsReroute();
        } else if (report instanceof GateReport.Settled) {
            oldOwner().handle(sent(new DropSubscale(move.id())));
        } else if (report instanceof GateReport.Joined) {
            joined = true;
        }
    }

    /** What one predecessor and then the other sends around its signals. */
    private void predecessorsReroute() {
        now++;
        for (int channel = 0; channel < ScratchOwner.CHANNELS; channel++) {
            oldOwner().watermark(channel, now);
            newOwner().watermark(channel, now);
            records(oldOwner(), channel);
            oldOwner().confirm(channel, move.id());
            newOwner().switched(channel, move.id());
            records(newOwner(), channel);
        }
        now++;
        for (int channel = 0; channel < ScratchOwner.CHANNELS; channel++) {
            oldOwner().watermark(channel, now);
            newOwner().watermark(channel, now);
        }
    }

    /** Of keys that move. */
    private void records(ScratchOwner to, int channel) {
        int sent = 0;
        for (int key = 0; sent < RECORDS; key++) {
            String text = "key " + key % KEYS;
            if (isMoving(text)) {
                to.record(channel, text, now + 1);
                sent++;
            }
        }
    }

    private boolean isMoving(String key) {
        int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, owners[0].state().keyGroups());
        return keyGroup % SUBSCALES == move.keyGroups()[0] % SUBSCALES;
    }

    private void check(int entries) {
        int left = owners[1].state().entries();
        int there = owners[0].state().entries();
        if (left != 0 || there < entries || owners[0].isBusy() || owners[1].isBusy()) {
            throw new IllegalStateException(
                    "key groups are not where they belong: "
                            + there
                            + " entries of "
                            + entries
                            + ", and "
                            + left
                            + " that are left");
        }
    }

    private void finish() throws Exception {
        for (ScratchOwner owner : owners) {
            owner.finish();
        }
        stage.runUntil(() -> owners[0].isThrough() && owners[1].isThrough());
    }
}
