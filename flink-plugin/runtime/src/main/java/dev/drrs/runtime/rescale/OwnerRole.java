package dev.drrs.runtime.rescale;

import dev.drrs.flink.HookHolder;
import dev.drrs.protocol.GateEffects;
import dev.drrs.protocol.GateReport;
import dev.drrs.protocol.PeerElement;
import dev.drrs.protocol.Subscale;
import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.ElasticTaskInfo.ElasticSelf;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.catalog.ChainCheck;
import dev.drrs.runtime.functions.MovingFunctions;
import dev.drrs.runtime.message.Activated;
import dev.drrs.runtime.message.Aligned;
import dev.drrs.runtime.message.AskHeap;
import dev.drrs.runtime.message.AwaitBroadcastEnd;
import dev.drrs.runtime.message.BroadcastStateCopied;
import dev.drrs.runtime.message.BroadcastStopped;
import dev.drrs.runtime.message.CheckKeys;
import dev.drrs.runtime.message.Configure;
import dev.drrs.runtime.message.CopyBroadcastState;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.EndRescale;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.HeapReported;
import dev.drrs.runtime.message.KeysChecked;
import dev.drrs.runtime.message.OpenReader;
import dev.drrs.runtime.message.OpenWriter;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.RescaleEnded;
import dev.drrs.runtime.message.ResumeBroadcast;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.message.Unsupported;
import dev.drrs.runtime.message.Untrack;
import dev.drrs.runtime.message.WriteOut;
import dev.drrs.runtime.message.WrittenOut;
import dev.drrs.runtime.peer.PeerClosedException;
import dev.drrs.runtime.peer.PeerOptions;
import dev.drrs.runtime.peer.PeerReader;
import dev.drrs.runtime.state.HeapKeyedStateMover;
import dev.drrs.runtime.state.HeapRoom;
import dev.drrs.runtime.state.RegisteredOperatorStates;
import dev.drrs.runtime.state.StateKeys;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.state.StateSupport;
import dev.drrs.runtime.state.SubscaleTimers;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.ExceptionUtils;

/**
 * A subtask of an elastic vertex, as old owner, new owner or neither: connects the {@link
 * SubtaskGate} with Flink's task. Mailbox thread only.
 */
final class OwnerRole implements GateEffects<StreamRecord<?>> {

    private static final int IDLE_SECONDS = 2;
    private static final int SIZE_SAMPLES = 4;
    private static final int KEY_SAMPLES = 32;
    private static final int SIGNALS = 1 << 16;

    private final ElasticTask task;
    private final OwnerInputs inputs;
    private final ElasticSelf self;
    private final int subtask;
    private final HeadOperator head;
    private final BroadcastInputs broadcast;
    private final SubtaskGate<StreamRecord<?>> gate;
    private final List<TypeSerializer<?>> serializers = new ArrayList<>();
    private final PeerCodec codec;
    private final PeerLinks links;
    private final StateTransfer transfer;
    private final MovingFunctions functions;
    private final RecordSize recordSize;
    private final HeldTime held = new HeldTime(System::nanoTime);
    private final ExecutorService transfers;
    private final int probeMebibytes;
    private final int chunkBytes;

    private HeapKeyedStateMover mover;
    private SubscaleTimers timers;

    /** Channels on which nothing comes any more. */
    private final BitSet ended = new BitSet();

    /** Predecessors close the channels to this subtask. */
    private boolean retires;

    private boolean busy;
    private boolean supported;

    /** Time in this rescale that flushing the chain took. */
    private long flushNanos;

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
        this.self = self;
        this.subtask = task.environment().getTaskInfo().getIndexOfThisSubtask();
        Configuration options = Configuration.fromMap(task.info().settings());
        StreamConfig config = new StreamConfig(task.environment().getTaskConfiguration());
        ClassLoader loader = task.environment().getUserCodeClassLoader().asClassLoader();
        for (int i = 0; i < inputs.count(); i++) {
            serializers.add(config.getTypeSerializerIn(i, loader));
        }
        this.head =
                new HeadOperator(
                        task.streamTask(), config, inputs.count(), loader, self.maxParallelism());
        this.broadcast = new BroadcastInputs(inputs, input -> !head.isKeyed(input));
        this.codec = newCodec();
        this.recordSize = new RecordSize(codec);
        this.gate = new SubtaskGate<>(subtask, inputs.newClock(), this);
        for (int i = 0; i < inputs.count(); i++) {
            eventTimes.get(i).bind(gate, inputs.firstOf(i), this::settle);
        }
        this.transfers = transferThread("drrs-transfer-" + task.streamTask().getName());
        PeerOptions peerOptions =
                PeerOptions.DEFAULT
                        .withSignalQueue(
                                options.get(DrrsOptions.EXCHANGE_SIGNAL_MEMORY).getBytes(), SIGNALS)
                        .withBulkQueueBytes(
                                options.get(DrrsOptions.EXCHANGE_STATE_MEMORY).getBytes());
        this.links =
                new PeerLinks(
                        task,
                        peerOptions,
                        transfers,
                        from -> transferHandler(),
                        this::peerRoomAgain);
        this.transfer =
                new StateTransfer(task, gate, this::onPeer, this::newCodec, transfers, links::to);
        transfer.afterBatch(this::settle);
        this.functions =
                new MovingFunctions(
                        task.environment().getTaskConfiguration(),
                        loader,
                        options,
                        self.maxParallelism());
        transfer.afterInstall(functions::arrived);
        this.probeMebibytes = options.get(DrrsOptions.EXCHANGE_PROBE);
        this.chunkBytes = (int) options.get(DrrsOptions.STATE_CHUNK).getBytes();
    }

    private PeerReader.Handler transferHandler() {
        return transfer.handler();
    }

    /** One thread that is there only while state is under way. */
    private static ExecutorService transferThread(String name) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        work -> {
                            Thread thread = new Thread(work, name);
                            thread.setDaemon(true);
                            return thread;
                        });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private PeerCodec newCodec() {
        return new PeerCodec(serializers, inputs::inputOf);
    }

    void onRunning() throws IOException {
        Optional<String> fault =
                Optional.ofNullable(head.fault())
                        .or(() -> StateSupport.unsupported(head.chain()))
                        .or(() -> operators().ofRunning(head.operator(), head.chain(), true))
                        .or(() -> functions.opened(head.operator(), head.chain()));
        supported = fault.isEmpty();
        if (!supported) {
            task.sendToCoordinator(new Unsupported(fault.get()));
        }
        List<OperatorStates.One> states = RegisteredOperatorStates.of(head.chain());
        if (!states.isEmpty()) {
            task.sendToCoordinator(new OperatorStates(states));
        }
    }

    private ChainCheck operators() {
        return new ChainCheck(
                Configuration.fromMap(task.info().settings()),
                task.environment().getUserCodeClassLoader().asClassLoader());
    }

    /** Whether the operator's state can be reached; known once the task runs. */
    boolean isSupported() {
        return supported;
    }

    /** Takes an event from the coordinator; false if it is none for this role. */
    boolean onEvent(OperatorEvent event) throws Exception {
        if (event instanceof Activated activated) {
            gate.activated(activated.emitted(), activated.assumed());
        } else if (event instanceof Configure configure) {
            gate.configure(configure.policies());
        } else if (event instanceof CheckKeys check) {
            task.sendToCoordinator(checkKeys(check));
        } else if (event instanceof AskHeap ask) {
            task.sendToCoordinator(new HeapReported(ask.rescale(), HeapRoom.free(ask.wanted())));
        } else if (event instanceof OpenWriter open) {
            prepare();
            links.openWriter(open.link(), probeMebibytes);
        } else if (event instanceof OpenReader open) {
            links.openReader(open.link(), open.address());
        } else if (event instanceof Register register) {
            Subscale subscale = register.move().subscale();
            if (!timers.isOpen(subscale.id())) {
                timers.open(subscale.id(), subscale.keyGroups());
            }
            gate.register(subscale);
        } else if (event instanceof Aligned aligned) {
            gate.aligned(aligned.subscale(), aligned.consumerClock());
        } else if (event instanceof Track track) {
            gate.track(track.move().subscale(), track.promised());
        } else if (event instanceof Start start) {
            gate.start(start.subscale());
            // Nothing more comes on these channels until the subscale is settled.
            broadcast.channels().stream()
                    .forEach(channel -> gate.onConfirm(channel, start.subscale()));
        } else if (event instanceof AwaitBroadcastEnd await) {
            if (broadcast.awaitEnd(await.rescale())) {
                task.sendToCoordinator(new BroadcastStopped(await.rescale()));
            }
        } else if (event instanceof CopyBroadcastState copy) {
            task.sendToCoordinator(copyBroadcastState(copy.rescale()));
        } else if (event instanceof ResumeBroadcast resume) {
            broadcast.resume(resume.rescale());
        } else if (event instanceof Untrack untrack) {
            gate.untrack(untrack.subscale());
        } else if (event instanceof DropSubscale drop) {
            gate.settledAtNewOwner(drop.subscale());
            transfer.gone(drop.subscale());
        } else if (event instanceof WriteOut write) {
            writeOut(write.rescale());
        } else if (event instanceof EndRescale end) {
            end(end.rescale());
        } else {
            return false;
        }
        settle();
        return true;
    }

    void onConfirm(ElasticInput input, int channel, int subscale) {
        gate.onConfirm(inputs.channel(input, channel), subscale);
        settle();
    }

    void onSwitch(ElasticInput input, int channel, int subscale) {
        gate.onSwitch(inputs.channel(input, channel), subscale);
        settle();
    }

    void onBroadcastBarrier(ElasticInput input, int channel, int rescale) throws IOException {
        if (broadcast.stop(inputs.channel(input, channel), rescale)) {
            task.sendToCoordinator(new BroadcastStopped(rescale));
        }
    }

    private BroadcastStateCopied copyBroadcastState(int rescale) {
        try {
            return new BroadcastStateCopied(
                    rescale,
                    BroadcastStateCopy.of(
                            List.of(head.operator()),
                            task.environment().getCheckpointStorageAccess()),
                    null);
        } catch (Exception e) { // nothing has changed here: the rescale is given up
            return new BroadcastStateCopied(
                    rescale, Map.of(), "the broadcast state could not be copied: " + e);
        }
    }

    /** An element of a peer exchange. */
    private void onPeer(PeerElement<StreamRecord<?>> element) {
        if (element instanceof PeerElement.Confirm<StreamRecord<?>> confirm
                && broadcast.has(confirm.channel())) {
            gate.onSwitch(confirm.channel(), confirm.subscale());
        }
        gate.onPeer(element);
    }

    /** A predecessor has come to the end of its data. */
    void onEndOfData(ElasticInput input, int inputChannel) throws IOException {
        int channel = inputs.channel(input, inputChannel);
        ended.set(channel);
        gate.onEnd(channel);
        settle();
        if (broadcast.end(channel)) {
            task.sendToCoordinator(new BroadcastStopped(broadcast.rescale()));
        }
        retireIfLast();
    }

    /**
     * A predecessor sends nothing more to this subtask. After the last one it goes idle, so that it
     * holds nobody's event time, and ends; operators are closed, not finished.
     */
    void onEndOfChannel(ElasticInput input, int channel) throws IOException {
        ended.set(inputs.channel(input, channel));
        retires = true;
        retireIfLast();
    }

    private void retireIfLast() throws IOException {
        if (!retires) {
            return;
        }
        for (int i = 0; i < inputs.channels(); i++) {
            if (inputs.joined(i) && !ended.get(i)) {
                return;
            }
        }
        if (gate.busy()) {
            throw new IllegalStateException("subtask " + subtask + " ends with open subscales");
        }
        retires = false;
        head.emitStatus(true);
        task.retire();
    }

    private void writeOut(int rescale) throws Exception {
        ChainFlush.of(task.streamTask());
        task.sendToConsumers(new WriteOutSignal(rescale));
        task.sendToCoordinator(new WrittenOut(rescale));
    }

    /** Why the keys cannot be moved, or null. What is found is said to the coordinator at once. */
    private String keyFault() throws IOException {
        try {
            String fault = StateKeys.fault(head.operator(), self.maxParallelism(), KEY_SAMPLES);
            return fault == null ? null : said(fault);
        } catch (RuntimeException | LinkageError | StackOverflowError e) { // of the user's code
            return said("its keys cannot be copied: " + innermost(e) + ".");
        }
    }

    private KeysChecked checkKeys(CheckKeys check) throws IOException {
        String fault = keyFault();
        long[] heapBytes = new long[0];
        if (check.sizes() && fault == null) {
            try {
                heapBytes = HeapRoom.taken(sampled());
            } catch (UnwritableException e) {
                fault = said(e.getMessage());
            }
        }
        return new KeysChecked(check.rescale(), fault, heapBytes);
    }

    /** Null if the state cannot be written; why is said to the coordinator. */
    StateSizes sizes() throws IOException {
        keyFault();
        try {
            return sampled();
        } catch (UnwritableException e) {
            said(e.getMessage());
            return null;
        }
    }

    /** Nothing has been touched yet: that the user's code fails must not fail the task. */
    private StateSizes sampled() throws UnwritableException {
        prepare();
        try {
            return mover.sizes(SIZE_SAMPLES);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            throw new UnwritableException(e);
        }
    }

    private static final class UnwritableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnwritableException(Throwable cause) {
            super("its state cannot be written: " + innermost(cause) + ".", cause);
        }
    }

    private String said(String fault) throws IOException {
        task.sendToCoordinator(new Unsupported(fault));
        return fault;
    }

    private static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }

    void close(Throwable failure) {
        links.close(failure);
        transfers.shutdownNow();
    }

    private void prepare() {
        if (mover != null) {
            return;
        }
        mover = HeapKeyedStateMover.of(head.operator(), chunkBytes);
        timers = SubscaleTimers.of(head.operator());
        transfer.mover(mover);
    }

    private void end(int rescale) throws IOException {
        if (gate.exchanging()) {
            throw new IllegalStateException(
                    "rescale " + rescale + " ends with open subscales at subtask " + subtask);
        }
        task.sendToCoordinator(
                new RescaleEnded(
                        rescale,
                        subtask,
                        held.millis(),
                        flushNanos / 1_000_000,
                        links.bytes(),
                        links.busyMillis(),
                        links.probed()));
        links.finish(rescale);
        held.reset();
        flushNanos = 0;
    }

    /**
     * After each call of the gate: the ways of elements and of event time follow whether subscales
     * are open.
     */
    private void settle() {
        if (gate.busy() == busy) {
            return;
        }
        busy = gate.busy();
        head.keepTimeBack(busy);
        inputs.elementHook(busy ? this::take : null);
        ((HookHolder) head.backend()).drrsHook(busy ? timers : null);
        if (!busy) {
            timers.closeIfIdle();
        }
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

    private void peerRoomAgain() {
        gate.peerRoomAgain();
        settle();
    }

    // ---- effects of the gate --------------------------------------------------------------------

    @Override
    public void process(
            StreamRecord<?> record, int channel, int keyGroup, long clock, int subscale) {
        run(
                () -> {
                    if (subscale < 0) {
                        head.process(inputs.inputOf(channel), record);
                    } else {
                        timers.<Exception>withClock(
                                clock, () -> head.process(inputs.inputOf(channel), record));
                    }
                });
    }

    @Override
    public void inputWatermark(int input, long clock, boolean forwards) {
        if (!forwards) {
            timers.rescan();
        }
        run(() -> head.watermark(input, clock));
    }

    @Override
    public void inputStatus(int input, boolean idle, boolean forwards) {
        run(() -> head.status(input, idle));
    }

    @Override
    public void fire(int subscale, long clock) {
        run(() -> timers.fire(subscale, clock));
    }

    @Override
    public void emitWatermark(long timestamp) {
        head.emitWatermark(timestamp);
    }

    @Override
    public void emitStatus(boolean idle) {
        head.emitStatus(idle);
    }

    @Override
    public void fireInstalled(int subscale, int keyGroup, long clock) {
        run(() -> timers.fire(subscale, keyGroup, clock));
    }

    @Override
    public void endResults(Subscale subscale) {
        run(
                () -> {
                    long began = System.nanoTime();
                    ChainFlush.of(task.streamTask());
                    if (functions.leaving(subscale.keyGroups())) {
                        ChainFlush.of(task.streamTask()); // what they have written out
                    }
                    flushNanos += System.nanoTime() - began;
                    task.sendToConsumers(new ResultsEnd(subscale.id()));
                });
    }

    @Override
    public void beginResults(Subscale subscale) {
        run(() -> task.sendToConsumers(new ResultsBegin(subscale.id())));
    }

    @Override
    public void detach(Subscale subscale) {
        run(() -> transfer.detach(subscale));
    }

    @Override
    public void sendPeer(Subscale subscale, PeerElement<StreamRecord<?>> element) {
        run(() -> links.to(subscale.newOwner()).sendSignal(codec.encode(element)));
    }

    @Override
    public boolean peerHasRoom(Subscale subscale) {
        return links.to(subscale.newOwner()).hasRoom();
    }

    @Override
    public void pull(Subscale subscale, int keyGroup) {
        run(() -> transfer.pull(subscale, keyGroup));
    }

    @Override
    public boolean align(Subscale subscale) {
        run(() -> task.sendToConsumers(new AlignBarrier(subscale.id())));
        return !task.outputs().isEmpty();
    }

    @Override
    public void hold(int channel) {
        held.more();
        inputs.hold(channel);
    }

    @Override
    public void resume(int channel) {
        held.less();
        inputs.resume(channel);
    }

    @Override
    public void joined(Subscale subscale) {
        timers.join(subscale.id());
    }

    @Override
    public void report(GateReport report) {
        if (report instanceof GateReport.Cancelled cancelled) {
            timers.join(cancelled.subscale());
        }
        run(() -> task.sendToCoordinator(GateReported.of(report)));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void run(Action action) {
        try {
            action.run();
        } catch (PeerClosedException e) { // the exchange's own thread may tell it later
            ExceptionUtils.rethrow(new RescaleFailedException("a peer exchange broke", e));
        } catch (Exception e) {
            ExceptionUtils.rethrow(e);
        }
    }
}
