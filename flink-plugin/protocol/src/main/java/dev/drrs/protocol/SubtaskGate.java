package dev.drrs.protocol;

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
    private final ChannelHolds holds;
    private final GateClocks<E> clocks;
    private final GateRecords<E> records;
    private final OldOwnerSide<E> oldOwner;
    private final NewOwnerSide<E> newOwner;

    /**
     * Before the first subscale it has to be given policies, by {@link #configure}.
     *
     * @param main event time of the task's inputs; from here on the gate's own
     */
    public SubtaskGate(int subtaskIndex, EventClock main, GateEffects<E> effects) {
        this(subtaskIndex, main, effects, new JoinRule());
    }

    SubtaskGate(int subtaskIndex, EventClock main, GateEffects<E> effects, JoinRule joinRule) {
        state = new GateState<>(subtaskIndex, main, effects);
        this.main = main;
        holds = new ChannelHolds(state);
        clocks = new GateClocks<>(state);
        Pulls<E> pulls = new Pulls<>(state);
        records = new GateRecords<>(state, holds, clocks, pulls);
        oldOwner = new OldOwnerSide<>(state, holds);
        newOwner = new NewOwnerSide<>(state, clocks, records, oldOwner, pulls, joinRule);
    }

    /** What it goes by from here on; what is set aside or asked for already stays. */
    public void configure(Policies policies) {
        state.policies = Objects.requireNonNull(policies);
    }

    /**
     * Whether a subscale is registered or tracked here. If not, the host may skip {@link
     * #onRecord}.
     */
    public boolean busy() {
        return state.busy();
    }

    /**
     * Whether the operator's own watermarks and statuses are to be kept back: subscales are open,
     * or the first one is awaited. Downstream event time is then told by the gate alone.
     */
    public boolean keepsTime() {
        return state.keepsTime();
    }

    /** Whether a subscale may still need its exchange; one that is settled here does not. */
    public boolean exchanging() {
        return !state.outgoing.isEmpty() || newOwner.exchanging();
    }

    /** As {@link #exchanging()}, of those with one other owner. */
    public boolean exchanging(int owner) {
        return state.outgoing.values().stream().anyMatch(out -> out.subscale.newOwner() == owner)
                || newOwner.exchanging(owner);
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
        newOwner.onSwitch(channel, subscale);
        afterTime();
    }

    /**
     * The channel's producer has come to the end of its data. That is a confirm and a switch of
     * every subscale, open or still to come, as the producer knows of none any more.
     */
    public void onEnd(int channel) {
        if (state.ended[channel]) {
            return;
        }
        oldOwner.onEnd(channel);
        newOwner.nothingFollows(channel);
        if (nothingComes()) {
            state.awaitsSubscale = false; // nor does a subscale: what was kept back is due now
        }
        afterTime();
    }

    private boolean nothingComes() {
        for (int channel = 0; channel < state.ended.length; channel++) {
            if (main.present(channel) && !state.ended[channel]) {
                return false;
            }
        }
        return true;
    }

    /**
     * The channel's producer has been activated: it holds event time from the present clock of its
     * input on.
     */
    public void onChannelOpened(int channel) {
        clocks.opened(channel);
    }

    /** The channel's producer has retired. */
    public void onChannelClosed(int channel) {
        clocks.closed(channel);
    }

    // ---- life of the subtask --------------------------------------------------------------------

    /**
     * A freshly activated subtask, before it reads anything: consumers are told nothing of its
     * event time until the first subscale is registered, or {@link #awaitNoSubscale} is called.
     * Else it would promise them what its predecessors have come to, and an old owner with a
     * backlog would have to work that off before it may give anything away (rule R2).
     */
    public void awaitSubscale() {
        state.awaitsSubscale = true;
    }

    /**
     * No subscale comes, or none any more: consumers are told where event time stands. Nothing
     * happens if none is awaited.
     */
    public void awaitNoSubscale() {
        if (state.awaitsSubscale) {
            state.awaitsSubscale = false;
            clocks.updateOutput();
        }
    }

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
        newOwner.register(subscale);
    }

    /**
     * All consumers have taken the align event.
     *
     * @param consumerClock milliseconds, the highest of their answers; {@link Long#MIN_VALUE}
     *     without consumers
     */
    public void aligned(int subscale, long consumerClock) {
        newOwner.aligned(subscale, consumerClock);
    }

    public void onPeer(PeerElement<E> element) {
        newOwner.onPeer(element);
        afterTime();
    }

    /** The state and timers of what was pulled are in place, none of its timers fired here yet. */
    public void installed(int subscale, int keyGroup, Bin bin) {
        newOwner.installed(subscale, keyGroup, bin);
        afterTime();
    }

    /**
     * Whether {@link #takeReleased} has something to do: elements are left that had to wait and
     * need not any more. No subscale is settled meanwhile.
     */
    public boolean hasReleased() {
        return newOwner.hasReleased();
    }

    /**
     * Goes on with what need not wait any more, in turns if it waits in several places, until it is
     * through or {@link GateEffects#takesMore} says no.
     */
    public void takeReleased() {
        newOwner.takeReleased();
        afterTime();
    }

    /**
     * Somebody waits for the end of the rescale: what nobody has needed so far is asked for, too.
     * Ignored if the subscale is not open here any more.
     */
    public void fetchRest(int subscale) {
        newOwner.fetchRest(subscale);
    }

    /**
     * Processing time has come to what {@link GateEffects#tellAt} has asked for. Ignored if the
     * subscale is not open here any more.
     *
     * @param now epoch milliseconds
     */
    public void timersDue(int subscale, long now) {
        newOwner.timersDue(subscale, now);
    }

    /** How many bins of a key group are missing that an open subscale brings here; else 0. */
    public int missingBins(int subscale, int keyGroup) {
        Incoming<E> in = state.incoming.get(subscale);
        return in == null ? 0 : in.missingBins(keyGroup);
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

    /**
     * What {@link GateEffects#copyAhead} has begun is over: all of it has been put on the exchange,
     * or it has stopped, and nothing is sent any more.
     */
    public void copied(int subscale) {
        oldOwner.copied(subscale);
    }

    /**
     * The subscale is not to begin. Ignored if it is not tracked here. One that is being copied
     * ahead ends when that has stopped.
     */
    public void untrack(int subscale) {
        oldOwner.untrack(subscale);
    }

    /** What waits to be sent on of a subscale has waited for as long as it may. */
    public void rerouteTimeout(int subscale) {
        oldOwner.rerouteTimeout(subscale);
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
        newOwner.demandDue();
        newOwner.settleAndJoin();
        oldOwner.reportReady();
        clocks.updateOutput();
        holds.resume();
    }

    // ---- for tests ------------------------------------------------------------------------------

    EventClock main() {
        return main;
    }

    void installed(int subscale, int keyGroup) {
        installed(subscale, keyGroup, Bin.ALL);
    }

    /** Open subscales this subtask is the new owner of. */
    Map<Integer, Incoming<E>> incoming() {
        return state.incoming;
    }

    Map<Integer, Outgoing> outgoing() {
        return state.outgoing;
    }
}
