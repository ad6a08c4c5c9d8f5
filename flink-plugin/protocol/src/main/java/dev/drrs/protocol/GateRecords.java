package dev.drrs.protocol;

import java.util.ArrayDeque;

/**
 * Records of the subtask's own channels: processed, sent on to the new owner of their key group, or
 * set aside until its state is there, with the event time between them. On the task's thread.
 */
final class GateRecords<E> {

    private final GateState<E> state;
    private final GateEffects<E> effects;
    private final ChannelHolds holds;
    private final GateClocks<E> clocks;
    private final Pulls<E> pulls;

    GateRecords(GateState<E> state, ChannelHolds holds, GateClocks<E> clocks, Pulls<E> pulls) {
        this.state = state;
        this.effects = state.effects;
        this.holds = holds;
        this.clocks = clocks;
        this.pulls = pulls;
    }

    void onRecord(int channel, int keyGroup, E element, int bytes) {
        Object subscale = keyGroup < state.moving.length ? state.moving[keyGroup] : null;
        if (subscale == null) {
            if (keyGroup < state.away.length && state.away[keyGroup]) {
                throw state.unexpected(
                        "gets a record of key group " + keyGroup + ", which it gave away");
            }
            effects.process(element, channel, keyGroup, state.main.clock(), -1);
        } else if (subscale instanceof Outgoing out) {
            state.rerouting.record(
                    out,
                    new PeerElement.Rerouted<>(out.subscale.id(), channel, keyGroup, element),
                    bytes);
            holds.holdIfPeerFull(channel);
        } else {
            @SuppressWarnings("unchecked") // only those of `incoming` are put there
            Incoming<E> in = (Incoming<E>) subscale;
            int part = part(in, channel, keyGroup, element);
            if (in.aside(channel).isEmpty() && in.confirmed[channel] && in.isInstalled(part)) {
                effects.process(element, channel, keyGroup, in.valve.clock(), in.subscale.id());
            } else {
                in.setAside++;
                int hash = in.mayBeDivided() ? effects.hash(element, channel) : 0;
                setAside(in, channel, new Waiting<>(part, element, bytes, hash));
            }
        }
    }

    /** What the record needs; which bin does not matter once all are there. */
    int part(Incoming<E> in, int channel, int keyGroup, E element) {
        int bins = in.allInstalled() ? 1 : in.bins(keyGroup);
        int bin = bins == 1 ? 0 : effects.bin(effects.hash(element, channel), bins);
        return in.part(keyGroup, bin);
    }

    /**
     * Some key groups have left in bins; what waits for one of those waits for its bin. Counts only
     * what has been set aside: keys were hashed then, one by one.
     */
    void divide(Incoming<E> in, int[] bins) {
        in.divide(bins);
        for (int channel = 0; channel < in.channels(); channel++) {
            for (Waiting<E> element : in.aside(channel)) {
                int keyGroup = element.isRecord() ? in.keyGroupOf(element.kind) : -1;
                int of = element.isRecord() ? in.bins(keyGroup) : 1;
                if (of > 1) {
                    in.countWaiting(element.kind, -1);
                    element.kind = in.part(keyGroup, effects.bin((int) element.value, of));
                    in.countWaiting(element.kind, 1);
                }
            }
        }
    }

    /** An element of event time: behind a switch it waits as records do. */
    void onTime(int channel, int kind, long value) {
        for (Incoming<E> in : state.incoming.values()) {
            if (in.switched[channel]) {
                setAside(in, channel, new Waiting<>(kind, null, Waiting.TIME_BYTES, value));
            }
        }
    }

    /** The channel's predecessor has switched a subscale; others may be waiting already. */
    void switched(int channel) {
        holds.holdIfAsideFull(channel);
    }

    /** Takes the first element that was set aside on the channel. */
    void take(Incoming<E> in, int channel) {
        Waiting<E> element = in.aside(channel).poll();
        in.countWaiting(element.kind, -1);
        in.recordsAside -= element.isRecord() ? 1 : 0;
        holds.aside().remove(channel, element);
        if (element.isRecord()) {
            effects.process(
                    element.record,
                    channel,
                    in.keyGroupOf(element.kind),
                    in.valve.clock(),
                    in.subscale.id());
        } else {
            clocks.subscaleTime(in, channel, element.kind, element.value);
        }
    }

    private void setAside(Incoming<E> in, int channel, Waiting<E> element) {
        ArrayDeque<Waiting<E>> queue = in.aside(channel);
        Waiting<E> last = queue.peekLast();
        if (element.kind == Waiting.WATERMARK && last != null && last.kind == Waiting.WATERMARK) {
            last.value =
                    Math.max(last.value, element.value); // nothing between them that could tell
            return;
        }
        queue.add(element);
        in.countWaiting(element.kind, 1);
        in.recordsAside += element.isRecord() ? 1 : 0;
        holds.aside().add(channel, element);
        if (last == null && in.headReleased(channel)) { // else it waits behind what is let go
            take(in, channel);
        }
        pulls.demand(in);
        holds.holdIfAsideFull(channel);
    }
}
