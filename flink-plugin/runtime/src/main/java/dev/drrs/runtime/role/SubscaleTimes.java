package dev.drrs.runtime.role;

import dev.drrs.runtime.message.WaitTimes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * What subscales waited for at one owner, by its own clock: as old owner for their signals, as new
 * owner for their key groups. Once for a signal or a key group, never for a record. Mailbox thread
 * only.
 */
final class SubscaleTimes {

    /** A subscale at its old owner. */
    private static final class Signals {
        final long first;
        long last;

        /** When its key groups left; -1 before that. */
        long alignment = -1;

        Signals(long now) {
            first = now;
            last = now;
        }
    }

    private final LongSupplier nanoClock;
    private final Map<Integer, Signals> outgoing = new HashMap<>();

    /** When the new owner heard that the key groups had left the old one. */
    private final Map<Integer, Long> detached = new HashMap<>();

    private WaitTimes dependency = WaitTimes.NONE;

    SubscaleTimes(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Old owner: the coordinator says that it begins. */
    void started(int subscale) {
        signals(subscale);
    }

    /** Old owner: the signal of one of the predecessors. */
    void confirmed(int subscale) {
        signals(subscale).last = nanoClock.getAsLong();
    }

    /** Old owner: its key groups begin to leave. */
    void leaves(int subscale) {
        Signals signals = signals(subscale);
        signals.alignment = nanoClock.getAsLong() - signals.first;
    }

    private Signals signals(int subscale) {
        return outgoing.computeIfAbsent(subscale, id -> new Signals(nanoClock.getAsLong()));
    }

    /** New owner: its key groups have left the old one. */
    void detached(int subscale) {
        detached.put(subscale, nanoClock.getAsLong());
    }

    /** New owner: one of its key groups has all of its state. */
    void installed(int subscale) {
        dependency = dependency.plus(nanoClock.getAsLong() - detached.get(subscale));
    }

    /** Of each subscale that left: from its first signal to the last one. */
    WaitTimes propagation() {
        return ofThoseThatLeft(signals -> signals.last - signals.first);
    }

    /** Of each subscale that left: from its first signal until then. */
    WaitTimes alignment() {
        return ofThoseThatLeft(signals -> signals.alignment);
    }

    private WaitTimes ofThoseThatLeft(ToLongFunction<Signals> nanos) {
        return outgoing.values().stream()
                .filter(signals -> signals.alignment >= 0)
                .map(signals -> WaitTimes.NONE.plus(nanos.applyAsLong(signals)))
                .reduce(WaitTimes.NONE, WaitTimes::plus);
    }

    /** Of each key group that came: from when it had left until it was here. */
    WaitTimes dependency() {
        return dependency;
    }

    /** The rescale is over. */
    void reset() {
        outgoing.clear();
        detached.clear();
        dependency = WaitTimes.NONE;
    }
}
