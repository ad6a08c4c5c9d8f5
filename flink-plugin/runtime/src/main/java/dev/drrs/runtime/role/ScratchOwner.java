package dev.drrs.runtime.role;

import dev.drrs.protocol.Bin;
import dev.drrs.protocol.GateEffects;
import dev.drrs.protocol.GateReport;
import dev.drrs.protocol.PeerElement;
import dev.drrs.protocol.Subscale;
import dev.drrs.protocol.SubtaskGate;
import dev.drrs.protocol.Valve;
import dev.drrs.runtime.message.Configure;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.peer.PeerAddress;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.PeerOptions;
import dev.drrs.runtime.peer.PeerReader;
import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.rehearsal.Stage;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.ScratchState;
import dev.drrs.runtime.state.SubscaleTimers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * An owner without a task, for a rehearsal: the gate, timers, mover, codec and exchanges of a real
 * one, with one other owner, and nobody downstream. The thread of the {@link Stage} takes the place
 * of the mailbox; key groups are written in the transfer thread and built in the reader's.
 */
final class ScratchOwner implements GateEffects<StreamRecord<?>>, AutoCloseable {

    static final int CHANNELS = 2;

    private static final int RECORD_BYTES = 32;

    private final Stage stage;
    private final PeerNetwork network;
    private final ScratchState state;
    private final SubscaleTimers timers;
    private final Executor transfers;
    private final Consumer<OperatorEvent> coordinator;
    private final PeerCodec codec = newCodec();
    private final SubtaskGate<StreamRecord<?>> gate;
    private final Handlers<ScratchOwner, Exception> handlers =
            new Handlers<>(from -> "from the coordinator");

    /** By subscale; written by the stage's thread, read by that of the reader. */
    private final Map<Integer, DetachedKeyGroups> leaving = new ConcurrentHashMap<>();

    private final PeerWriter writer;
    private PeerReader reader;
    private int ended;

    /**
     * @param coordinator is told what goes to the coordinator, in the stage's thread and never
     *     within a call of this owner
     * @throws IOException if the TaskManager has too few network buffers
     */
    ScratchOwner(
            int subtask,
            Stage stage,
            PeerNetwork network,
            ScratchState state,
            Executor transfers,
            Consumer<OperatorEvent> coordinator)
            throws IOException {
        this.stage = stage;
        this.network = network;
        this.state = state;
        this.timers = state.movable().timers();
        this.transfers = transfers;
        this.coordinator = coordinator;
        gate = new SubtaskGate<>(subtask, new Valve(CHANNELS), this);
        handlers.on(Configure.class, (from, message) -> gate.configure(message.policies()))
                .on(Register.class, (from, message) -> register(message.move().subscale()))
                .on(
                        Track.class,
                        (from, message) ->
                                gate.track(message.move().subscale(), message.promised()))
                .on(Start.class, (from, message) -> gate.start(message.subscale()))
                .on(DropSubscale.class, (from, message) -> drop(message.subscale()));
        writer =
                network.openWriter(
                        "rehearsal of " + subtask,
                        PeerOptions.DEFAULT,
                        new PeerWriter.Listener() {
                            @Override
                            public void closed(Throwable failure) {
                                endOfExchange(failure);
                            }
                        });
    }

    private static PeerCodec newCodec() {
        return new PeerCodec(List.of(StringSerializer.INSTANCE), channel -> 0);
    }

    /** Where the other owner finds what this one sends. */
    PeerAddress address() {
        return writer.address();
    }

    void openReader(PeerAddress from) {
        reader = network.openReader("rehearsal", from, PeerOptions.DEFAULT, new FromOtherOwner());
    }

    boolean isConnected() {
        return reader.connected().isDone() && writer.connected().isDone();
    }

    /** Lets the stage look at {@link #isConnected} again when that may have changed. */
    void wakeWhenConnected() {
        reader.connected().whenComplete((done, failure) -> stage.execute(() -> {}));
        writer.connected().whenComplete((done, failure) -> stage.execute(() -> {}));
    }

    /** All has been sent; {@link #isThrough} when it was handled and all is released. */
    void finish() {
        writer.finish();
    }

    boolean isThrough() {
        return ended == 2;
    }

    @Override
    public void close() {
        writer.close();
        if (reader != null) {
            reader.close();
        }
    }

    /** A message of the coordinator. */
    void handle(OperatorEvent message) throws Exception {
        handlers.handle(this, message);
        settle();
    }

    ScratchState state() {
        return state;
    }

    /** Milliseconds. */
    long clock() {
        return gate.clock();
    }

    boolean isBusy() {
        return gate.busy();
    }

    // ---- from predecessors ----------------------------------------------------------------------

    void record(int channel, String key, long timestamp) {
        int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, state.keyGroups());
        StreamRecord<String> record = new StreamRecord<>(key, timestamp);
        gate.onRecord(channel, keyGroup, record, RECORD_BYTES);
        settle();
    }

    void watermark(int channel, long timestamp) {
        gate.onWatermark(channel, timestamp);
        settle();
    }

    void confirm(int channel, int subscale) {
        gate.onConfirm(channel, subscale);
        settle();
    }

    void switched(int channel, int subscale) {
        gate.onSwitch(channel, subscale);
        settle();
    }

    private void register(Subscale subscale) {
        timers.open(subscale.id(), subscale.keyGroups());
        gate.register(subscale);
    }

    private void drop(int subscale) {
        gate.settledAtNewOwner(subscale);
        leaving.remove(subscale);
    }

    private void settle() {
        if (!gate.busy()) {
            timers.closeIfIdle();
        }
    }

    private void endOfExchange(Throwable failure) {
        stage.execute(
                () -> {
                    if (failure != null) {
                        throw new IOException("a peer exchange with itself broke", failure);
                    }
                    ended++;
                });
    }

    // ---- what the gate wants done ---------------------------------------------------------------

    @Override
    public void process(
            StreamRecord<?> record, int channel, int keyGroup, long clock, int subscale) {
        run(
                () -> {
                    if (subscale < 0) {
                        process(record);
                    } else {
                        timers.<Exception>withClock(clock, () -> process(record));
                    }
                });
    }

    private void process(StreamRecord<?> record) throws Exception {
        state.process((String) record.getValue(), record.getTimestamp());
    }

    @Override
    public void inputWatermark(int input, long clock, boolean forwards) {
        if (!forwards) {
            timers.rescan();
        }
        run(() -> state.watermark(clock));
    }

    @Override
    public void inputStatus(int input, boolean idle, boolean forwards) {}

    @Override
    public void fire(int subscale, long clock) {
        run(() -> timers.fire(subscale, clock));
    }

    @Override
    public void fireInstalled(int subscale, int keyGroup, Bin bin, long clock) {
        run(() -> timers.fire(subscale, keyGroup, KeyBin.ALL, clock));
    }

    @Override
    public void emitWatermark(long timestamp) {}

    @Override
    public void emitStatus(boolean idle) {}

    @Override
    public void endResults(Subscale subscale) {}

    @Override
    public void beginResults(Subscale subscale) {}

    /** None is large. */
    @Override
    public long[] sizes(Subscale subscale) {
        return new long[subscale.keyGroups().length];
    }

    @Override
    public void detach(Subscale subscale) {
        leaving.put(subscale.id(), state.movable().mover().detach(subscale.keyGroups()));
    }

    /** In the strategy that is rehearsed timers ask for nothing. */
    @Override
    public long[] firstTimers(Subscale subscale, int bins) {
        throw new IllegalStateException("in a rehearsal timers ask for nothing: " + subscale);
    }

    @Override
    public void tellAt(Subscale subscale, long timestamp) {
        throw new IllegalStateException("in a rehearsal timers ask for nothing: " + subscale);
    }

    /** The strategy that is rehearsed copies nothing ahead. */
    @Override
    public long copySize(Subscale subscale) {
        return 0;
    }

    @Override
    public void copyAhead(Subscale subscale) {
        throw new IllegalStateException("a rehearsal copies nothing ahead: " + subscale);
    }

    @Override
    public void stopCopying(Subscale subscale) {
        throw new IllegalStateException("a rehearsal copies nothing ahead: " + subscale);
    }

    @Override
    public void dropCopy(Subscale subscale) {
        throw new IllegalStateException("a rehearsal copies nothing ahead: " + subscale);
    }

    @Override
    public void rerouteLater(Subscale subscale, long millis) {
        throw new IllegalStateException("a rehearsal re-routes at once: " + subscale);
    }

    @Override
    public void sendPeer(Subscale subscale, PeerElement<StreamRecord<?>> element) {
        run(() -> writer.sendSignal(codec.encode(element)));
    }

    /** Far less is sent than there is room for. */
    @Override
    public boolean peerHasRoom(Subscale subscale) {
        return true;
    }

    @Override
    public void pull(Subscale subscale, int keyGroup, Bin bin) {
        run(() -> writer.sendSignal(PeerCodec.pull(subscale.id(), keyGroup, KeyBin.ALL)));
    }

    /** No key group is large here, so nothing waits for a bin. */
    @Override
    public int hash(StreamRecord<?> record, int channel) {
        return 0;
    }

    @Override
    public int bin(int hash, int bins) {
        throw new IllegalStateException("a rehearsal has no bins: " + bins);
    }

    /** Few records wait here, and no others do. */
    @Override
    public boolean takesMore() {
        return true;
    }

    @Override
    public boolean align(Subscale subscale) {
        return false;
    }

    /** All that comes is at hand when it is held. */
    @Override
    public void hold(int channel) {}

    @Override
    public void resume(int channel) {}

    @Override
    public void joined(Subscale subscale) {
        timers.join(subscale.id());
    }

    @Override
    public void report(GateReport report) {
        tell(GateReported.of(List.of(report), 0, 0));
    }

    private void tell(OperatorEvent message) {
        stage.execute(() -> coordinator.accept(message));
    }

    private static void run(ThrowingRunnable<Exception> action) {
        try {
            action.run();
        } catch (Exception e) {
            ExceptionUtils.rethrow(e);
        }
    }

    // ---- from the other owner -------------------------------------------------------------------

    /** In the reader's thread; what it makes of it goes to the stage's. */
    private final class FromOtherOwner implements PeerReader.Handler {

        private final PeerCodec own = newCodec();
        private final Map<Integer, IncomingKeyGroup> arriving = new HashMap<>();
        private List<ThrowingRunnable<Exception>> mails = new ArrayList<>();

        @Override
        public void message(ByteBuffer message) throws Exception {
            switch (PeerCodec.kind(message)) {
                case PULL -> send(PeerCodec.pull(message));
                case CHUNK -> add(PeerCodec.chunk(message));
                default -> {
                    PeerElement<StreamRecord<?>> element = own.decode(message);
                    mails.add(() -> gate.onPeer(element));
                }
            }
        }

        private void send(PeerCodec.Pull pull) {
            DetachedKeyGroups groups = leaving.get(pull.subscale());
            transfers.execute(
                    () -> {
                        try {
                            groups.write(
                                    pull.keyGroup(),
                                    new PeerChunks(pull.subscale(), KeyBin.ALL, writer));
                            groups.release(pull.keyGroup());
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt(); // the rehearsal ends
                        } catch (Throwable t) { // an Error too: nobody else would hear of it
                            stage.execute(
                                    () -> {
                                        throw new IOException(
                                                "key group " + pull.keyGroup() + " was not sent",
                                                t);
                                    });
                        }
                    });
        }

        private void add(PeerCodec.Chunk chunk) throws IOException {
            IncomingKeyGroup group =
                    arriving.computeIfAbsent(
                            chunk.keyGroup(),
                            keyGroup -> state.movable().mover().begin(chunk.subscale(), keyGroup));
            int bytes = chunk.bytes().remaining();
            if (group.add(chunk.bytes())) {
                arriving.remove(chunk.keyGroup());
                mails.add(() -> installed(group, bytes));
            }
        }

        private void installed(IncomingKeyGroup group, int bytes) throws Exception {
            group.install();
            tell(GateReported.of(List.of(), 1, bytes));
            gate.installed(group.subscale(), group.keyGroup(), Bin.ALL);
        }

        @Override
        public void batchEnd() {
            List<ThrowingRunnable<Exception>> batch = mails;
            mails = new ArrayList<>();
            stage.execute(
                    () -> {
                        for (ThrowingRunnable<Exception> mail : batch) {
                            mail.run();
                        }
                        settle();
                    });
        }

        @Override
        public void closed(Throwable failure) {
            endOfExchange(failure);
        }
    }
}
