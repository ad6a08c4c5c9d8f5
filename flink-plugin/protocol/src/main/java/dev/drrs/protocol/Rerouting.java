package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an old owner sends on of its subscales: in the order in which it comes, and if the strategy
 * says so in batches. Event time waits behind records that wait, and for nothing else. On the
 * task's thread.
 */
final class Rerouting<E> {

    private final GateState<E> state;
    private final Map<Integer, Batch<E>> batches = new HashMap<>();

    private static final class Batch<E> {
        final List<PeerElement<E>> elements = new ArrayList<>();
        long bytes;

        /** {@link SubtaskGate#rerouteTimeout} is to come. */
        boolean timed;
    }

    Rerouting(GateState<E> state) {
        this.state = state;
    }

    /**
     * @param bytes about how large it is
     */
    void record(Outgoing out, PeerElement<E> element, int bytes) {
        RerouteBatch limit = state.policies.signals().batch();
        if (!limit.isWanted()) {
            state.effects.sendPeer(out.subscale, element);
            return;
        }
        Batch<E> batch = batches.computeIfAbsent(out.subscale.id(), id -> new Batch<>());
        add(out, batch, element, bytes);
        if (!batch.timed && !batch.elements.isEmpty()) {
            batch.timed = true;
            state.effects.rerouteLater(out.subscale, limit.millis());
        }
    }

    void time(Outgoing out, PeerElement<E> element) {
        Batch<E> batch = batches.get(out.subscale.id());
        if (batch == null || batch.elements.isEmpty()) {
            state.effects.sendPeer(out.subscale, element);
        } else {
            add(out, batch, element, Waiting.TIME_BYTES);
        }
    }

    private void add(Outgoing out, Batch<E> batch, PeerElement<E> element, int bytes) {
        batch.elements.add(element);
        batch.bytes += bytes;
        if (batch.bytes >= state.policies.signals().batch().bytes()) {
            send(out);
        }
    }

    /** All that waits of it, now. */
    void send(Outgoing out) {
        Batch<E> batch = batches.get(out.subscale.id());
        if (batch != null) {
            batch.elements.forEach(element -> state.effects.sendPeer(out.subscale, element));
            batch.elements.clear();
            batch.bytes = 0;
        }
    }

    void timeout(Outgoing out) {
        batches.get(out.subscale.id()).timed = false;
        send(out);
    }

    /** The new owner has all of it. */
    void over(Outgoing out) {
        batches.remove(out.subscale.id());
    }
}
