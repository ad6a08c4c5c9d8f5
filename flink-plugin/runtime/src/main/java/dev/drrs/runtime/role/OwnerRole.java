package dev.drrs.runtime.role;

import dev.drrs.protocol.Bin;
import dev.drrs.protocol.PeerElement;
import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.ElasticTaskInfo.ElasticSelf;
import dev.drrs.runtime.functions.MovingFunctions;
import dev.drrs.runtime.message.EndRescale;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OpenReader;
import dev.drrs.runtime.message.OpenWriter;
import dev.drrs.runtime.message.RescaleEnded;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * A subtask of an elastic vertex, as old owner, new owner or neither: puts its parts together and
 * hands its {@link SubtaskGate} what comes, from the coordinator, its channels and other owners.
 * Mailbox thread only.
 */
final class OwnerRole implements StateTransfer.Receiver {

    private final ElasticTask task;
    private final OwnerInputs inputs;
    private final int subtask;
    private final List<TypeSerializer<?>> serializers = new ArrayList<>();
    private final HeadOperator head;
    private final RecordSize recordSize;
    private final MovingFunctions functions;
    private final OwnerExchanges exchanges;
    private final OwnerState state;
    private final SubscaleTimes times = new SubscaleTimes(System::nanoTime);
    private final OwnerEffects effects;
    private final SubtaskGate<StreamRecord<?>> gate;
    private final OwnerChecks checks;
    private final OwnerBroadcast broadcast;
    private final OwnerSubscales subscales;
    private final OwnerRetirement retirement;
    private final int probeMebibytes;

    /** Whether elements go the way of open subscales. */
    private boolean busy;

    /** Whether event time does, which a new subtask keeps back before its first one as well. */
    private boolean keepsTime;

    /**
     * @param eventTimes of the inputs; bound to this subtask's gate
     */
    OwnerRole(
            ElasticTask task,
            OwnerInputs inputs,
            List<GateEventTime> eventTimes,
            ElasticSelf self) {
        this.task = task;
        this.inputs = inputs;
        this.subtask = task.environment().getTaskInfo().getIndexOfThisSubtask();
        Configuration options = Configuration.fromMap(task.info().settings());
        StreamConfig config = new StreamConfig(task.environment().getTaskConfiguration());
        ClassLoader loader = task.environment().getUserCodeClassLoader().asClassLoader();
        for (int i = 0; i < inputs.count(); i++) {
            serializers.add(config.getTypeSerializerIn(i, loader));
        }
        head =
                new HeadOperator(
                        task.streamTask(), config, inputs.count(), loader, self.maxParallelism());
        PeerCodec codec = newCodec();
        recordSize = new RecordSize(codec);
        functions =
                new MovingFunctions(
                        task.environment().getTaskConfiguration(),
                        loader,
                        options,
                        self.maxParallelism());
        ServedTime served = new ServedTime(System::nanoTime);
        exchanges =
                new OwnerExchanges(
                        task,
                        options,
                        this::newCodec,
                        this,
                        this::roomAgain,
                        served,
                        this::exchanging);
        int chunkBytes = (int) options.get(DrrsOptions.STATE_CHUNK).getBytes();
        state = new OwnerState(head, exchanges.transfer(), chunkBytes);
        effects =
                new OwnerEffects(
                        task, inputs, head, state, exchanges, functions, codec, served, times);
        gate = new SubtaskGate<>(subtask, inputs.newClock(), effects);
        for (int i = 0; i < inputs.count(); i++) {
            eventTimes.get(i).bind(gate, inputs.firstOf(i), this::settle);
        }
        checks = new OwnerChecks(task, head, state, functions);
        broadcast = new OwnerBroadcast(task, inputs, head);
        subscales = new OwnerSubscales(inputs, gate, state, exchanges, broadcast, times);
        retirement = new OwnerRetirement(task, inputs, head, gate);
        probeMebibytes = options.get(DrrsOptions.EXCHANGE_PROBE);
    }

    /** Mailbox thread and later the transfer thread, which is the only one then. */
    private PeerCodec newCodec() {
        return new PeerCodec(serializers, inputs::inputOf);
    }

    /** Whoever has an event handled calls {@link #settle} then. */
    void register(
            Handlers<ElasticTask, Exception> ofCoordinator, Handlers<Arrival, Exception> inBand) {
        checks.register(ofCoordinator);
        subscales.register(ofCoordinator, inBand);
        broadcast.register(ofCoordinator, inBand);
        retirement.register(ofCoordinator, inBand);
        ofCoordinator
                .on(OpenWriter.class, (from, open) -> openWriter(open))
                .on(
                        OpenReader.class,
                        (from, open) -> exchanges.links().openReader(open.link(), open.address()))
                .on(EndRescale.class, (from, end) -> end(end.rescale()));
    }

    void onRunning() throws IOException {
        checks.onRunning();
        if (task.info().activatedAtRunTime()) { // no predecessor has been told to send anything yet
            gate.awaitSubscale();
            settle();
        }
    }

    /** As {@link OwnerChecks#sizes}. */
    StateSizes sizes() throws IOException {
        return checks.sizes();
    }

    void close(Throwable failure) {
        exchanges.close(failure);
    }

    private void openWriter(OpenWriter open) {
        state.prepare();
        exchanges.links().openWriter(open.link(), probeMebibytes);
    }

    private void end(int rescale) throws IOException {
        if (gate.exchanging()) {
            throw new IllegalStateException(
                    "rescale " + rescale + " ends with open subscales at subtask " + subtask);
        }
        gate.awaitNoSubscale();
        PeerLinks links = exchanges.links();
        task.sendToCoordinator(
                new RescaleEnded(
                        rescale,
                        subtask,
                        effects.heldMillis(),
                        effects.flushMillis(),
                        times.propagation(),
                        times.alignment(),
                        times.dependency(),
                        links.bytes(),
                        links.stateBytes(),
                        exchanges.transfer().stored().takeWritten(),
                        links.busyMillis(),
                        links.probed(),
                        task.mails().take(),
                        checks.pauses()));
        links.finish(rescale);
        effects.resetFigures();
        times.reset();
        exchanges.transfer().copies().rescaleEnded();
        state.forgetSizes();
    }

    // ---- from the channels ----------------------------------------------------------------------

    /** A predecessor has come to the end of its data. */
    void onEndOfData(ElasticInput input, int inputChannel) throws IOException {
        int channel = inputs.channel(input, inputChannel);
        gate.onEnd(channel);
        settle();
        broadcast.onEnd(channel);
        retirement.onEndOfData(channel);
    }

    private boolean take(StreamElement element, int channel, DataOutput<?> output)
            throws Exception {
        if (!element.isRecord()) {
            return false; // time comes back through the valve, all else is no business of the gate
        }
        int input = inputs.inputOf(channel);
        if (!head.isKeyed(input)) {
            return false;
        }
        StreamRecord<?> record = element.asRecord();
        gate.onRecord(channel, head.keyGroup(input, record), record, recordSize.of(input, record));
        settle();
        return true;
    }

    // ---- from other owners ----------------------------------------------------------------------

    @Override
    public void element(PeerElement<StreamRecord<?>> element) {
        if (element instanceof PeerElement.Confirm<StreamRecord<?>> confirm
                && broadcast.has(confirm.channel())) {
            gate.onSwitch(confirm.channel(), confirm.subscale());
        }
        if (element instanceof PeerElement.Detached) {
            times.detached(element.subscale());
        }
        gate.onPeer(element);
    }

    @Override
    public void installed(IncomingKeyGroup group, long bytes) throws Exception {
        KeyBin bin = group.bin();
        int missing = gate.missingBins(group.subscale(), group.keyGroup());
        if (missing == bin.of()) { // before any record or timer of the key group
            functions.arrived(group.keyGroup());
        }
        if (missing == 1) {
            times.installed(group.subscale());
        }
        effects.arrived(missing == 1, bytes);
        gate.installed(group.subscale(), group.keyGroup(), new Bin(bin.number(), bin.of()));
    }

    @Override
    public void copied(int subscale) {
        gate.copied(subscale);
        settle();
    }

    @Override
    public void rerouteTimeout(int subscale) {
        gate.rerouteTimeout(subscale);
        settle();
    }

    @Override
    public void timersDue(int subscale) {
        gate.timersDue(subscale, System.currentTimeMillis());
        settle();
    }

    @Override
    public void batchEnd() {
        settle();
    }

    @Override
    public boolean hasReleased() {
        return gate.hasReleased();
    }

    @Override
    public void takeReleased() {
        gate.takeReleased();
    }

    @Override
    public boolean elementsWait() {
        return inputs.elementsWait();
    }

    private boolean exchanging(int peer) {
        return gate.exchanging(peer);
    }

    private void roomAgain() {
        gate.peerRoomAgain();
        settle();
    }

    /** To be called after each call of the gate, or after all of a stretch: sends its reports. */
    void settle() {
        follow();
        effects.tell();
    }

    /**
     * After each message to the gate: the ways of elements and of event time follow whether
     * subscales are open, or awaited.
     */
    void follow() {
        if (gate.keepsTime() != keepsTime) {
            keepsTime = gate.keepsTime();
            head.keepTimeBack(keepsTime);
        }
        if (gate.busy() == busy) {
            return;
        }
        busy = gate.busy();
        inputs.elementHook(busy ? this::take : null);
        state.movable().timersInSnapshots(busy);
        if (!busy) {
            state.timers().closeIfIdle();
        }
    }
}
