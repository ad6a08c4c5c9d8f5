package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One elastic subtask: its main event time, the gate its records pass, and both ends of subscales.
 * Lives as long as the task; all calls on the task's thread. Key groups may not be in two open
 * subscales of one subtask at a time, and the set of present channels may not change while one is
 * open. A message that fits no state throws {@link ProtocolException}: the task has to fail.
 *
 * @param <E> a record of the host
 */
public final class SubtaskGate<E> {

    private final GateState<E> state;
    private final EventClock main;
    private final GateEffects<E> effects;
    private final Map<Integer, Incoming<E>> incoming;
    private final boolean[] ended;
    private final ChannelHolds holds;
    private final GateClocks<E> clocks;
    private final GateRecords<E> records;
    private final OldOwnerSide<E> oldOwner;
    private int pullWindow;
    private final JoinRule joinRule;

    /**
     * @param main event time of the task's inputs; from here on the gate's own
     * @param pullWindow key groups of one subscale that are asked for at a time, at least 1
     */
    public SubtaskGate(
            int subtaskIndex,
            EventClock main,
            SetAsideLimit limit,
            int pullWindow,
            GateEffects<E> effects) {
        this(subtaskIndex, main, limit, pullWindow, effects, new JoinRule());
    }

    SubtaskGate(
            int subtaskIndex,
            EventClock main,
            SetAsideLimit limit,
            int pullWindow,
            GateEffects<E> effects,
            JoinRule joinRule) {
        state = new GateState<>(subtaskIndex, main, effects);
        this.main = main;
        this.effects = effects;
        incoming = state.incoming;
        ended = state.ended;
        holds = new ChannelHolds(state, limit);
        this.joinRule = joinRule;
        clocks = new GateClocks<>(state);
        records = new GateRecords<>(state, holds, clocks);
        oldOwner = new OldOwnerSide<>(state, holds);
        configure(limit, pullWindow);
    }

    /** Other bounds than those of the constructor; what is set aside or asked for already stays. */
    public void configure(SetAsideLimit limit, int pullWindow) {
        if (pullWindow < 1) {
            throw new IllegalArgumentException("pull window " + pullWindow + " is below 1");
        }
        holds.aside().limit(Objects.requireNonNull(limit));
        this.pullWindow = pullWindow;
    }

    /**
     * Whether a subscale is registered or tracked here. If not, the host may skip {@link
     * #onRecord}.
     */
    public boolean busy() {
        return state.busy();
    }

    /** Whether a subscale may still need its exchange; one that is settled here does not. */
    public boolean exchanging() {
        return !state.outgoing.isEmpty() || incoming.values().stream().anyMatch(in -> !in.settled);
    }

    /** Milliseconds; the main clock. */
    public long clock() {
        return main.clock();
    }

    /** Milliseconds; what records of a channel of the input that is opened now may be judged by. */
    public long clock(int input) {
        return main.highest(input);
    }

    // ---- the subtask's own channels -------------------------------------------------------------

    /**
     * @param bytes about how much memory the record takes if it is set aside
     */
    public void onRecord(int channel, int keyGroup, E element, int bytes) {
        records.onRecord(channel, keyGroup, element, bytes);
    }

    /**
     * @param timestamp milliseconds
     */
    public void onWatermark(int channel, long timestamp) {
        if (!busy()) {
            main.watermark(channel, timestamp);
            clocks.plainTime(channel);
        } else {
            onTime(channel, Waiting.WATERMARK, timestamp);
        }
    }

    public void onStatus(int channel, boolean idle) {
        if (!busy()) {
            main.status(channel, idle);
            clocks.plainTime(channel);
        } else {
            onTime(channel, Waiting.STATUS, idle ? 1 : 0);
        }
    }

    /**
     * An align event of an elastic producer: the channel holds event time from here on.
     *
     * @return milliseconds; what this task may judge records of the channel by, the answer to the
     *     event
     */
    public long onAlign(int channel) {
        if (busy()) {
            onTime(channel, Waiting.HOLD, 0);
        }
        main.align(channel);
        return clocks.highest(channel);
    }

    /** A confirm barrier: what follows on the channel was routed without the subscale. */
    public void onConfirm(int channel, int subscale) {
        oldOwner.onConfirm(channel, subscale);
    }

    /** A switch: records of the subscale's key groups on this channel come here from now on. */
    public void onSwitch(int channel, int subscale) {
        Incoming<E> in = requireIncoming(subscale);
        in.switched[channel] = true;
        afterTime();
    }

    /**
     * The channel's producer has come to the end of its data. That is a confirm and a switch of
     * every subscale, open or still to come, as the producer knows of none any more.
     */
    public void onEnd(int channel) {
        if (ended[channel]) {
            return;
        }
        oldOwner.onEnd(channel);
        nothingFollows(channel);
        afterTime();
    }

    private void nothingFollows(int channel) {
        ended[channel] = true;
        for (Incoming<E> in : incoming.values()) {
            in.switched[channel] = true;
        }
    }

    /**
     * The channel's producer has been activated: it holds event time from the present clock of its
     * input on.
     */
    public void onChannelOpened(int channel) {
        requireNotBusy(channel);
        ended[channel] = false;
        main.add(channel, main.valve(main.inputOf(channel)).clock());
    }

    /** The channel's producer has retired. */
    public void onChannelClosed(int channel) {
        requireNotBusy(channel);
        main.remove(channel);
        clocks.plainTime(channel);
    }

    private void requireNotBusy(int channel) {
        if (busy()) {
            throw state.unexpected("has channel " + channel + " change while a subscale is open");
        }
    }

    // ---- life of the subtask --------------------------------------------------------------------

    /**
     * A freshly activated subtask: where its consumers' event times stood when they opened its
     * channel.
     *
     * @param emitted milliseconds, the lowest of them
     * @param assumed milliseconds, the highest of them
     */
    public void activated(long emitted, long assumed) {
        clocks.downstream().activated(emitted, assumed);
    }

    // ---- new owner ------------------------------------------------------------------------------

    /** The first message of a subscale. One that is registered already is left as it is. */
    public void register(Subscale subscale) {
        if (incoming.containsKey(subscale.id())) {
            return;
        }
        Incoming<E> in = new Incoming<>(subscale, main.channels());
        for (int keyGroup : subscale.keyGroups()) {
            state.ensure(keyGroup);
            if (state.moving[keyGroup] instanceof Incoming<?> other) {
                throw state.unexpected(
                        "has key group " + keyGroup + " in " + other.subscale + " still");
            }
            state.moving[keyGroup] = in;
        }
        incoming.put(subscale.id(), in);
        for (int c = 0; c < ended.length; c++) {
            in.switched[c] = ended[c];
        }
        clocks.updateOutput(); // from here on it is not idle and emits nothing above the old
        // owner's clock
        // consumers may have gone on without this subtask
        if (!clocks.downstream().wasIdle() || !effects.align(subscale)) {
            promise(in);
        }
    }

    /**
     * All consumers have taken the align event.
     *
     * @param consumerClock milliseconds, the highest of their answers; {@link Long#MIN_VALUE}
     *     without consumers
     */
    public void aligned(int subscale, long consumerClock) {
        Incoming<E> in = requireIncoming(subscale);
        clocks.downstream().aligned(consumerClock);
        promise(in);
    }

    private void promise(Incoming<E> in) {
        effects.report(new GateReport.Promised(in.subscale.id(), clocks.downstream().promised()));
    }

    public void onPeer(PeerElement<E> element) {
        Incoming<E> in = requireIncoming(element.subscale());
        if (element instanceof PeerElement.ValveCopy<E> copy) {
            in.valve = EventClock.fromLongs(copy.valve());
        } else if (element instanceof PeerElement.Cancelled<E>) {
            forget(in);
            effects.report(new GateReport.Cancelled(in.subscale.id()));
        } else {
            in.fifo.add(element);
            if (element instanceof PeerElement.Rerouted<E> record) {
                in.rerouted++;
                in.countWaiting(record.keyGroup(), 1);
            }
            drainFifo(in);
        }
        afterTime();
    }

    /**
     * The state and timers of a pulled key group are in place, none of its timers fired here yet.
     */
    public void installed(int subscale, int keyGroup) {
        Incoming<E> in = requireIncoming(subscale);
        if (!in.anyInstalled()) {
            effects.beginResults(in.subscale);
        }
        in.install(keyGroup);
        state.away[keyGroup] = false;
        if (in.valve.clock() > in.detachClock) { // its timers may be behind: before any record
            effects.fireInstalled(subscale, keyGroup, in.valve.clock());
        }
        drainFifo(in);
        for (int c = 0; c < ended.length; c++) {
            records.drainAside(in, c);
        }
        requestPulls(in); // last: by now it shows what is missed most
        afterTime();
    }

    private void drainFifo(Incoming<E> in) {
        while (in.fifoReleased()) {
            PeerElement<E> element = in.fifo.poll();
            if (element instanceof PeerElement.Time<E> time) {
                clocks.subscaleTime(
                        in,
                        time.channel(),
                        time.isStatus() ? Waiting.STATUS : Waiting.WATERMARK,
                        time.value());
            } else if (element instanceof PeerElement.Hold<E> hold) {
                in.valve.hold(hold.channel());
            } else if (element instanceof PeerElement.Detached<E>) {
                in.detached = true;
                in.detachClock = in.valve.clock();
                in.fired = in.detachClock;
                requestPulls(in);
            } else if (element instanceof PeerElement.Rerouted<E> record) {
                in.countWaiting(record.keyGroup(), -1);
                effects.process(
                        record.element(),
                        record.channel(),
                        record.keyGroup(),
                        in.valve.clock(),
                        in.subscale.id());
            } else if (element instanceof PeerElement.Confirm<E> confirm) {
                in.confirmed[confirm.channel()] = true;
                adoptIfAbsent(in, confirm.channel());
                records.drainAside(in, confirm.channel());
            } else {
                throw state.unexpected("gets out of place " + element);
            }
        }
    }

    /**
     * A producer that had ended before this subtask was activated: the old owner knows where its
     * channel has come to.
     */
    private void adoptIfAbsent(Incoming<E> in, int channel) {
        if (!main.present(channel) && in.valve.present(channel)) {
            main.adopt(channel, in.valve);
            nothingFollows(channel);
            clocks.tellOperator(channel);
        }
    }

    private void requestPulls(Incoming<E> in) {
        while (in.mayPull(pullWindow)) {
            effects.pull(in.subscale, in.nextToPull());
        }
    }

    private void forget(Incoming<E> in) {
        incoming.remove(in.subscale.id());
        for (int keyGroup : in.subscale.keyGroups()) {
            state.moving[keyGroup] = null;
        }
    }

    private Incoming<E> requireIncoming(int subscale) {
        Incoming<E> in = incoming.get(subscale);
        if (in == null) {
            throw state.unexpected("is not the new owner of an open subscale " + subscale);
        }
        return in;
    }

    // ---- old owner ------------------------------------------------------------------------------

    /**
     * From here on the new owner is told where this subtask's event time stands. Ignored if it is
     * tracked already.
     *
     * @param promised milliseconds, from {@link GateReport.Promised}
     */
    public void track(Subscale subscale, long promised) {
        oldOwner.track(subscale, promised);
    }

    /** The subscale begins. Ignored if the confirms were faster: then it has, or is even over. */
    public void start(int subscale) {
        oldOwner.start(subscale);
    }

    /** The subscale is not to begin. Ignored if it is not tracked here. */
    public void untrack(int subscale) {
        oldOwner.untrack(subscale);
    }

    /** The new owner has settled the subscale: this one is through with it. */
    public void settledAtNewOwner(int subscale) {
        oldOwner.settledAtNewOwner(subscale);
    }

    /** The exchange to a new owner, or to several, has room again. */
    public void peerRoomAgain() {
        holds.resume();
    }

    // ---- event time -----------------------------------------------------------------------------

    private void onTime(int channel, int kind, long value) {
        oldOwner.forwardTime(channel, kind, value);
        records.onTime(channel, kind, value);
        clocks.mainTime(channel, kind, value);
        holds.holdIfPeerFull(channel);
        afterTime();
    }

    /** After whatever may have moved a clock or completed a subscale. */
    private void afterTime() {
        if (!incoming.isEmpty()) {
            settleAndJoin();
        }
        oldOwner.reportReady();
        clocks.updateOutput();
        holds.resume();
    }

    private void settleAndJoin() {
        List<Incoming<E>> settled = new ArrayList<>();
        List<EventClock> valves = new ArrayList<>();
        for (Incoming<E> in : incoming.values()) {
            if (!in.settled && in.isComplete(main)) {
                in.settled = true;
                effects.report(new GateReport.Settled(in.subscale.id(), in.counters()));
            }
            if (in.settled) {
                settled.add(in);
                valves.add(in.valve);
            }
        }
        if (settled.isEmpty()) {
            return;
        }
        joinRule.meet(main, valves, oldOwner::mainHoldsAgain);
        for (Incoming<E> in : settled) {
            if (joinRule.mayJoin(main, in.valve)) {
                forget(in);
                effects.joined(in.subscale);
                effects.report(new GateReport.Joined(in.subscale.id()));
            }
        }
    }

    // ---- for tests ------------------------------------------------------------------------------

    EventClock main() {
        return main;
    }

    /** Open subscales this subtask is the new owner of. */
    Map<Integer, Incoming<E>> incoming() {
        return incoming;
    }

    Map<Integer, Outgoing> outgoing() {
        return state.outgoing;
    }
}
