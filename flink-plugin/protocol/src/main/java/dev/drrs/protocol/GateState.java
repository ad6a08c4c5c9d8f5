package dev.drrs.protocol;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What the parts of a {@link SubtaskGate} share: its open subscales, where key groups are, and what
 * the strategy says. On the task's thread.
 */
final class GateState<E> {

    final int subtask;
    final EventClock main;
    final GateEffects<E> effects;

    /** Of the strategy of the present rescale, or of the last one; null before the first. */
    Policies policies;

    /** Open subscales this subtask is the new owner of. */
    final Map<Integer, Incoming<E>> incoming = new LinkedHashMap<>();

    /** Open subscales this subtask is the old owner of. */
    final Map<Integer, Outgoing> outgoing = new LinkedHashMap<>();

    /**
     * Per key group: the incoming subscale it is in, the outgoing one it has left with, or null.
     */
    Object[] moving = new Object[0];

    /** Key groups that have left with a subscale and not come back. */
    boolean[] away = new boolean[0];

    final Rerouting<E> rerouting = new Rerouting<>(this);

    /**
     * Activated while the job runs, and no subscale has been registered yet: consumers are told no
     * event time, so that nothing is promised that the first old owner has not reached (rule R2).
     */
    boolean awaitsSubscale;

    /** Channels whose producer has come to the end of its data: nothing follows on them. */
    final boolean[] ended;

    GateState(int subtask, EventClock main, GateEffects<E> effects) {
        this.subtask = subtask;
        this.main = Objects.requireNonNull(main);
        this.effects = Objects.requireNonNull(effects);
        ended = new boolean[main.channels()];
    }

    boolean busy() {
        return !incoming.isEmpty() || !outgoing.isEmpty();
    }

    /** Whether consumers are not told what the operator makes of event time. */
    boolean keepsTime() {
        return awaitsSubscale || busy();
    }

    void requirePolicies(Subscale subscale) {
        if (policies == null) {
            throw unexpected("is told of " + subscale + " before its strategy");
        }
    }

    /** Makes room for a key group in {@link #moving} and {@link #away}. */
    void ensure(int keyGroup) {
        if (keyGroup >= moving.length) {
            int size = Math.max(keyGroup + 1, 2 * moving.length);
            moving = Arrays.copyOf(moving, size);
            away = Arrays.copyOf(away, size);
        }
    }

    ProtocolException unexpected(String what) {
        return new ProtocolException("subtask " + subtask + " " + what);
    }
}
