package dev.drrs.protocol;

import java.util.Arrays;

/**
 * The old owner's end of subscales: it tells new owners of its event time, gives key groups away
 * and sends on what still comes for them. On the task's thread.
 */
final class OldOwnerSide<E> {

    private final GateState<E> state;
    private final GateEffects<E> effects;
    private final ChannelHolds holds;
    private final CopiesAhead copies;

    OldOwnerSide(GateState<E> state, ChannelHolds holds) {
        this.state = state;
        this.effects = state.effects;
        this.holds = holds;
        copies = new CopiesAhead(state);
    }

    void track(Subscale subscale, long promised) {
        state.requirePolicies(subscale);
        if (state.outgoing.containsKey(subscale.id())) {
            return;
        }
        Outgoing out = new Outgoing(subscale, promised, state.main.channels());
        state.outgoing.put(subscale.id(), out);
        effects.sendPeer(
                subscale, new PeerElement.ValveCopy<>(subscale.id(), state.main.toLongs()));
        copies.track(out);
        reportReady();
    }

    void start(int subscale) {
        Outgoing out = state.outgoing.get(subscale);
        if (out != null) {
            out.begun = true;
            detachIfDue(out);
        }
    }

    void untrack(int subscale) {
        Outgoing out = state.outgoing.get(subscale);
        if (out == null || out.cancelled) {
            return;
        }
        if (out.begun) {
            throw state.unexpected("has begun subscale " + subscale + " and cannot untrack it");
        }
        out.cancelled = true;
        if (out.copy == Outgoing.Copy.UNDER_WAY) {
            effects.stopCopying(out.subscale);
        } else {
            cancel(out);
        }
    }

    /** Nothing of it is on its way behind this: a copy has been sent, or has stopped. */
    private void cancel(Outgoing out) {
        state.outgoing.remove(out.subscale.id());
        copies.over(out);
        effects.sendPeer(out.subscale, new PeerElement.Cancelled<>(out.subscale.id()));
        holds.resume();
        reportReady();
    }

    void copied(int subscale) {
        Outgoing out = state.outgoing.get(subscale);
        if (out == null) {
            throw state.unexpected("has copied subscale " + subscale + ", which is not open");
        }
        copies.copied(out);
        if (out.cancelled) {
            cancel(out);
        } else {
            reportIfReady(out);
        }
    }

    void settledAtNewOwner(int subscale) {
        Outgoing out = state.outgoing.remove(subscale);
        if (out == null) {
            return;
        }
        for (int keyGroup : out.subscale.keyGroups()) {
            if (state.moving[keyGroup] == out) {
                state.moving[keyGroup] = null;
            }
        }
        copies.over(out);
        state.rerouting.over(out);
        holds.resume();
        reportReady();
    }

    /** Ignored if the subscale is over. */
    void rerouteTimeout(int subscale) {
        Outgoing out = state.outgoing.get(subscale);
        if (out != null) {
            state.rerouting.timeout(out);
        }
    }

    void onConfirm(int channel, int subscale) {
        Outgoing out = state.outgoing.get(subscale);
        if (out == null || out.confirmed[channel] || out.forwarded[channel]) {
            throw state.unexpected(
                    "gets a confirm of subscale " + subscale + " on channel " + channel);
        }
        out.begun = true;
        confirmed(out, channel);
    }

    /** The channel's producer has ended: that is its confirm of what has begun. */
    void onEnd(int channel) {
        for (Outgoing out : state.outgoing.values()) {
            if (out.begun && !out.confirmed[channel]) {
                confirmed(out, channel);
            }
        }
    }

    /** Passed on at once if the key groups have left, which this may make them do. */
    private void confirmed(Outgoing out, int channel) {
        out.confirmed[channel] = true;
        if (out.detached) {
            passOn(out, channel);
        } else {
            detachIfDue(out);
        }
        if (!out.detached) {
            holds.holdUntilDetached(channel);
        }
    }

    /** An element of event time that this subtask takes in. */
    void forwardTime(int channel, int kind, long value) {
        for (Outgoing out : state.outgoing.values()) {
            if (!out.forwarded[channel]) {
                int id = out.subscale.id();
                state.rerouting.time(
                        out,
                        kind == Waiting.HOLD
                                ? new PeerElement.Hold<>(id, channel)
                                : new PeerElement.Time<>(
                                        id, channel, kind == Waiting.STATUS, value));
            }
        }
    }

    /** The channel holds the main clock again: copies of that at new owners have to follow. */
    void mainHoldsAgain(int channel) {
        forwardTime(channel, Waiting.HOLD, 0);
    }

    void reportReady() {
        copies.begin();
        for (Outgoing out : state.outgoing.values()) {
            reportIfReady(out);
        }
    }

    private void reportIfReady(Outgoing out) {
        boolean here = out.copy == Outgoing.Copy.NONE || out.copy == Outgoing.Copy.SENT;
        if (!out.ready && !out.cancelled && here && state.main.clock() >= out.promised) {
            out.ready = true;
            effects.report(new GateReport.Ready(out.subscale.id()));
        }
    }

    private void detachIfDue(Outgoing out) {
        if (!out.detached && state.policies.signals().leaves(openChannels(out))) {
            detach(out);
        }
    }

    private int openChannels(Outgoing out) {
        int open = 0;
        for (int c = 0; c < out.confirmed.length; c++) {
            open += state.main.present(c) && !isConfirmed(out, c) ? 1 : 0;
        }
        return open;
    }

    private boolean isConfirmed(Outgoing out, int channel) {
        return out.confirmed[channel] || state.ended[channel];
    }

    private void detach(Outgoing out) {
        if (out.copy == Outgoing.Copy.UNDER_WAY || out.cancelled) {
            throw state.unexpected("begins " + out.subscale + " while it copies it ahead");
        }
        out.detached = true;
        effects.endResults(out.subscale);
        for (int keyGroup : out.subscale.keyGroups()) {
            state.ensure(keyGroup);
            if (state.moving[keyGroup] != null || state.away[keyGroup]) {
                throw state.unexpected(
                        "gives away key group " + keyGroup + ", which it does not have");
            }
            state.moving[keyGroup] = out;
            state.away[keyGroup] = true;
        }
        int[] bins = bins(out);
        effects.detach(out.subscale);
        effects.sendPeer(
                out.subscale,
                new PeerElement.Detached<>(out.subscale.id(), timers(out.subscale), bins));
        for (int c = 0; c < out.confirmed.length; c++) {
            if (isConfirmed(out, c)) {
                passOn(out, c);
            }
        }
        holds.resume();
    }

    /** What has been copied ahead comes as a whole: only what has changed since is missing. */
    private int[] bins(Outgoing out) {
        BinsBySize bySize = state.policies.pullOrder().binsBySize();
        if (!bySize.isWanted() || out.copy == Outgoing.Copy.SENT) {
            return new int[0];
        }
        int[] bins = Arrays.stream(effects.sizes(out.subscale)).mapToInt(bySize::of).toArray();
        return Arrays.stream(bins).allMatch(of -> of == 1) ? new int[0] : bins;
    }

    private long[] timers(Subscale subscale) {
        PullOrder order = state.policies.pullOrder();
        return order.heedsTimers() ? effects.firstTimers(subscale, order.bins()) : new long[0];
    }

    private void passOn(Outgoing out, int channel) {
        state.rerouting.send(out);
        effects.sendPeer(out.subscale, new PeerElement.Confirm<>(out.subscale.id(), channel));
        out.forwarded[channel] = true;
    }
}
