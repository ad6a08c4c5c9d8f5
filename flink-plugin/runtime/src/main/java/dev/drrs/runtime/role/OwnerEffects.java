package dev.drrs.runtime.role;

import dev.drrs.protocol.Bin;
import dev.drrs.protocol.GateEffects;
import dev.drrs.protocol.GateReport;
import dev.drrs.protocol.PeerElement;
import dev.drrs.protocol.Subscale;
import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.functions.MovingFunctions;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.peer.PeerClosedException;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.task.ElasticTask;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.ExceptionUtils;

/**
 * What a {@link SubtaskGate} wants done, done in Flink's task: with records, event time, timers,
 * channels, exchanges and consumers. Measures what of it takes long. Mailbox thread only.
 */
final class OwnerEffects implements GateEffects<StreamRecord<?>> {

    /** How long the coordinator is not told of state that has arrived, if of nothing else. */
    private static final long ARRIVALS_NANOS = 1_000_000_000;

    private final ElasticTask task;
    private final OwnerInputs inputs;
    private final HeadOperator head;
    private final OwnerState state;
    private final OwnerExchanges exchanges;
    private final MovingFunctions functions;
    private final PeerCodec codec;
    private final ServedTime served;
    private final SubscaleTimes times;
    private final HeldTime held = new HeldTime(System::nanoTime);

    /** What the coordinator is to be told, in order, and what has arrived since it was. */
    private final List<GateReport> reports = new ArrayList<>();

    private int keyGroups;
    private long bytes;

    /** {@link System#nanoTime} when the coordinator was told last. */
    private long toldAt;

    /** Time in this rescale that flushing the chain took. */
    private long flushNanos;

    OwnerEffects(
            ElasticTask task,
            OwnerInputs inputs,
            HeadOperator head,
            OwnerState state,
            OwnerExchanges exchanges,
            MovingFunctions functions,
            PeerCodec codec,
            ServedTime served,
            SubscaleTimes times) {
        this.task = task;
        this.inputs = inputs;
        this.head = head;
        this.state = state;
        this.exchanges = exchanges;
        this.functions = functions;
        this.codec = codec;
        this.served = served;
        this.times = times;
    }

    @Override
    public void process(
            StreamRecord<?> record, int channel, int keyGroup, long clock, int subscale) {
        serve(
                () -> {
                    if (subscale < 0) {
                        head.process(inputs.inputOf(channel), record);
                    } else {
                        state.timers()
                                .<Exception>withClock(
                                        clock, () -> head.process(inputs.inputOf(channel), record));
                    }
                });
    }

    @Override
    public void inputWatermark(int input, long clock, boolean forwards) {
        if (!forwards) {
            state.rescanTimers();
        }
        run(() -> head.watermark(input, clock));
    }

    @Override
    public void inputStatus(int input, boolean idle, boolean forwards) {
        run(() -> head.status(input, idle));
    }

    @Override
    public void fire(int subscale, long clock) {
        serve(() -> state.timers().fire(subscale, clock));
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
    public void fireInstalled(int subscale, int keyGroup, Bin bin, long clock) {
        serve(() -> state.timers().fire(subscale, keyGroup, keysOf(bin), clock));
    }

    @Override
    public void endResults(Subscale subscale) {
        run(
                () -> {
                    times.leaves(subscale.id());
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
    public long[] sizes(Subscale subscale) {
        long[][] sizes = new long[1][];
        run(() -> sizes[0] = state.bytes(subscale.keyGroups()));
        return sizes[0];
    }

    @Override
    public void detach(Subscale subscale) {
        run(() -> exchanges.transfer().detach(subscale));
    }

    @Override
    public long[] firstTimers(Subscale subscale, int bins) {
        return exchanges.transfer().firstTimers(subscale, bins);
    }

    @Override
    public void tellAt(Subscale subscale, long timestamp) {
        exchanges.transfer().tellAt(subscale.id(), timestamp);
    }

    @Override
    public long copySize(Subscale subscale) {
        long[] size = new long[1];
        run(() -> size[0] = exchanges.transfer().copies().size(subscale));
        return size[0];
    }

    @Override
    public void copyAhead(Subscale subscale) {
        run(() -> exchanges.transfer().copies().begin(subscale));
    }

    @Override
    public void stopCopying(Subscale subscale) {
        exchanges.transfer().copies().stop(subscale);
    }

    @Override
    public void dropCopy(Subscale subscale) {
        exchanges.transfer().copies().drop(subscale);
    }

    @Override
    public void sendPeer(Subscale subscale, PeerElement<StreamRecord<?>> element) {
        run(() -> exchanges.to(subscale.newOwner()).sendSignal(codec.encode(element)));
    }

    @Override
    public boolean peerHasRoom(Subscale subscale) {
        return exchanges.to(subscale.newOwner()).hasRoom();
    }

    @Override
    public void rerouteLater(Subscale subscale, long millis) {
        exchanges.transfer().rerouteLater(subscale.id(), millis);
    }

    @Override
    public void pull(Subscale subscale, int keyGroup, Bin bin) {
        run(() -> exchanges.transfer().pull(subscale, keyGroup, keysOf(bin)));
    }

    private static KeyBin keysOf(Bin bin) {
        return new KeyBin(bin.number(), bin.of());
    }

    @Override
    public int hash(StreamRecord<?> record, int channel) {
        int[] hash = new int[1];
        run(() -> hash[0] = KeyBin.hash(head.key(inputs.inputOf(channel), record)));
        return hash[0];
    }

    @Override
    public int bin(int hash, int bins) {
        return KeyBin.ofHash(hash, bins);
    }

    /** Only slices take what has waited: other mails are short, and records make way for none. */
    @Override
    public boolean takesMore() {
        return exchanges.transfer().takesMore();
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
        state.timers().join(subscale.id());
    }

    @Override
    public void report(GateReport report) {
        if (report instanceof GateReport.Cancelled cancelled) {
            state.timers().join(cancelled.subscale());
        }
        reports.add(report);
    }

    /**
     * State has arrived. The coordinator hears of it with the next report, or after a second.
     *
     * @param complete whether a key group has all of its state now
     */
    void arrived(boolean complete, long size) {
        keyGroups += complete ? 1 : 0;
        bytes += size;
    }

    /** Sends what has been reported, if anything, and now and then what has arrived. */
    void tell() {
        if (reports.isEmpty() && (bytes == 0 || System.nanoTime() - toldAt < ARRIVALS_NANOS)) {
            return;
        }
        toldAt = System.nanoTime();
        GateReported all = GateReported.of(reports, keyGroups, bytes);
        reports.clear();
        keyGroups = 0;
        bytes = 0;
        run(() -> task.sendToCoordinator(all));
    }

    /** Milliseconds in this rescale in which a channel was held. */
    long heldMillis() {
        return held.millis();
    }

    /** Milliseconds in this rescale that flushing the chain took. */
    long flushMillis() {
        return flushNanos / 1_000_000;
    }

    /** The rescale is over. */
    void resetFigures() {
        held.reset();
        flushNanos = 0;
    }

    private interface Action {
        void run() throws Exception;
    }

    /** Runs the task's own work: records and timers. */
    private void serve(Action action) {
        long began = served.begin();
        run(action);
        served.end(began);
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
