package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The new owner's end of subscales: what comes from old owners, the key groups it asks them for,
 * and when a subscale is settled and joins the main clock. On the task's thread.
 */
final class NewOwnerSide<E> {

    private final GateState<E> state;
    private final EventClock main;
    private final GateEffects<E> effects;
    private final Map<Integer, Incoming<E>> incoming;
    private final GateClocks<E> clocks;
    private final GateRecords<E> records;
    private final OldOwnerSide<E> oldOwner;
    private final Pulls<E> pulls;
    private final ReleasedQueues<E> released = new ReleasedQueues<>();
    private final JoinRule joinRule;

    NewOwnerSide(
            GateState<E> state,
            GateClocks<E> clocks,
            GateRecords<E> records,
            OldOwnerSide<E> oldOwner,
            Pulls<E> pulls,
            JoinRule joinRule) {
        this.state = state;
        this.main = state.main;
        this.effects = state.effects;
        this.incoming = state.incoming;
        this.clocks = clocks;
        this.records = records;
        this.oldOwner = oldOwner;
        this.pulls = pulls;
        this.joinRule = joinRule;
    }

    /** Whether a subscale may still need its exchange. */
    boolean exchanging() {
        return incoming.values().stream().anyMatch(in -> !in.settled);
    }

    boolean exchanging(int oldOwner) {
        return incoming.values().stream()
                .anyMatch(in -> !in.settled && in.subscale.oldOwner() == oldOwner);
    }

    void onSwitch(int channel, int subscale) {
        requireIncoming(subscale).switched[channel] = true;
        records.switched(channel);
    }

    /** The channel's producer has ended: that is its switch of all subscales. */
    void nothingFollows(int channel) {
        state.ended[channel] = true;
        for (Incoming<E> in : incoming.values()) {
            in.switched[channel] = true;
        }
    }

    void register(Subscale subscale) {
        state.requirePolicies(subscale);
        if (incoming.containsKey(subscale.id())) {
            return;
        }
        Incoming<E> in = new Incoming<>(subscale, main.channels(), state.policies.pullOrder());
        for (int keyGroup : subscale.keyGroups()) {
            state.ensure(keyGroup);
            if (state.moving[keyGroup] instanceof Incoming<?> other) {
                throw state.unexpected(
                        "has key group " + keyGroup + " in " + other.subscale + " still");
            }
            state.moving[keyGroup] = in;
        }
        incoming.put(subscale.id(), in);
        for (int c = 0; c < state.ended.length; c++) {
            in.switched[c] = state.ended[c];
        }
        state.awaitsSubscale = false;
        // from here on it is not idle and emits nothing above the old owner's clock
        clocks.updateOutput();
        // consumers may have gone on without this subtask
        if (!clocks.downstream().wasIdle() || !effects.align(subscale)) {
            promise(in);
        }
    }

    void aligned(int subscale, long consumerClock) {
        Incoming<E> in = requireIncoming(subscale);
        clocks.downstream().aligned(consumerClock);
        promise(in);
    }

    private void promise(Incoming<E> in) {
        effects.report(new GateReport.Promised(in.subscale.id(), clocks.downstream().promised()));
    }

    void onPeer(PeerElement<E> element) {
        Incoming<E> in = requireIncoming(element.subscale());
        if (element instanceof PeerElement.ValveCopy<E> copy) {
            in.valve = EventClock.fromLongs(copy.valve());
        } else if (element instanceof PeerElement.Cancelled<E>) {
            forget(in);
            effects.report(new GateReport.Cancelled(in.subscale.id()));
        } else {
            int part = -1;
            if (element instanceof PeerElement.Rerouted<E> record) {
                part = records.part(in, record.channel(), record.keyGroup(), record.element());
                in.rerouted++;
                in.countWaiting(part, 1);
            }
            boolean first = in.fifo.isEmpty();
            in.fifo.add(new Incoming.Arrived<>(element, part));
            if (first && in.fifoReleased()) { // else it waits behind what is let go
                takeOfExchange(in);
            }
            takeReleased();
            pulls.demand(in);
        }
    }

    void installed(int subscale, int keyGroup, Bin bin) {
        Incoming<E> in = requireIncoming(subscale);
        if (!in.anyInstalled()) {
            effects.beginResults(in.subscale);
        }
        in.install(keyGroup, bin);
        state.away[keyGroup] = false;
        if (in.valve.clock() > in.detachClock) { // its timers may be behind: before any record
            effects.fireInstalled(subscale, keyGroup, bin, in.valve.clock());
        }
        released.offerAll(in);
        takeReleased();
        pulls.request(in); // last: by now it shows what is missed most
    }

    /** Whether elements are left that need not wait. */
    boolean hasReleased() {
        return !released.isEmpty();
    }

    /** Takes what need not wait, queue by queue, as long as the host takes more. */
    void takeReleased() {
        boolean more = !released.isEmpty() && effects.takesMore();
        while (more) {
            ReleasedQueues.Queue<E> queue = released.next();
            do {
                take(queue);
                more = effects.takesMore();
            } while (more && queue.isReleased());
            released.offer(queue);
            pulls.demand(queue.in());
            more &= !released.isEmpty();
        }
    }

    private void take(ReleasedQueues.Queue<E> queue) {
        if (queue.channel() == ReleasedQueues.EXCHANGE) {
            takeOfExchange(queue.in());
        } else {
            records.take(queue.in(), queue.channel());
        }
    }

    void fetchRest(int subscale) {
        Incoming<E> in = incoming.get(subscale);
        if (in != null && !in.restWanted) {
            in.restWanted = true;
            pulls.request(in);
        }
    }

    void timersDue(int subscale, long now) {
        Incoming<E> in = incoming.get(subscale);
        if (in != null) {
            in.processingTime = now;
            pulls.demand(in);
            tellAtNext(in);
        }
    }

    private void heedTimers(Incoming<E> in, long[] timers) {
        if (state.policies.pullOrder().heedsTimers()) {
            in.timers(timers);
            tellAtNext(in);
        }
    }

    /** A part that is asked for meanwhile is passed over then. */
    private void tellAtNext(Incoming<E> in) {
        long next = in.nextByProcessingTime();
        if (next != DueTimers.NEVER) {
            effects.tellAt(in.subscale, next);
        }
    }

    /** Event time may have come to timers of what is not here. */
    void demandDue() {
        if (!incoming.isEmpty() && state.policies.pullOrder().heedsTimers()) {
            incoming.values().forEach(pulls::demand);
        }
    }

    /** Settles what is complete, and joins what has come together with the main clock. */
    void settleAndJoin() {
        if (incoming.isEmpty()) {
            return;
        }
        List<Incoming<E>> settled = new ArrayList<>();
        List<EventClock> valves = new ArrayList<>();
        for (Incoming<E> in : incoming.values()) {
            if (!in.settled && in.isComplete(main)) {
                in.settled = true;
                effects.report(new GateReport.Settled(in.subscale.id(), in.counters()));
            } else if (!in.settled) {
                tellInstalled(in);
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

    /** Once. Without copies ahead nobody asks: the next one would hurt as much as this one. */
    private void tellInstalled(Incoming<E> in) {
        if (!in.toldInstalled && in.allInstalled() && state.policies.copyAhead().isWanted()) {
            in.toldInstalled = true;
            effects.report(new GateReport.Installed(in.subscale.id()));
        }
    }

    private void takeOfExchange(Incoming<E> in) {
        Incoming.Arrived<E> arrived = in.fifo.poll();
        PeerElement<E> element = arrived.element();
        if (element instanceof PeerElement.Time<E> time) {
            clocks.subscaleTime(
                    in,
                    time.channel(),
                    time.isStatus() ? Waiting.STATUS : Waiting.WATERMARK,
                    time.value());
        } else if (element instanceof PeerElement.Hold<E> hold) {
            in.valve.hold(hold.channel());
        } else if (element instanceof PeerElement.Detached<E> detached) {
            in.detached = true;
            in.detachClock = in.valve.clock();
            in.fired = in.detachClock;
            if (detached.bins().length > 0) {
                records.divide(in, detached.bins());
            }
            heedTimers(in, detached.timers());
            pulls.request(in);
        } else if (element instanceof PeerElement.Rerouted<E> record) {
            in.countWaiting(arrived.part(), -1);
            effects.process(
                    record.element(),
                    record.channel(),
                    record.keyGroup(),
                    in.valve.clock(),
                    in.subscale.id());
        } else if (element instanceof PeerElement.Confirm<E> confirm) {
            in.confirmed[confirm.channel()] = true;
            adoptIfAbsent(in, confirm.channel());
            released.offer(new ReleasedQueues.Queue<>(in, confirm.channel()));
        } else {
            throw state.unexpected("gets out of place " + element);
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
}
