package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.HashMap;
import java.util.Map;

/**
 * What has to hold at a new owner whose state comes when it is needed: it is asked for as soon as
 * it is, nothing else is before the rest is wanted, and event time goes on downstream up to the
 * timers that are still at the old owner. Goes by what was detached, not by what the gate was told.
 */
final class SimLazy {

    private final Simulation sim;
    private final SimSubtask subtask;

    /** By subscale that is to come here: processing time of the next call that is on its way. */
    private final Map<Integer, Long> calls = new HashMap<>();

    /** By subscale: the last call that came, heard or not. */
    private final Map<Integer, Long> called = new HashMap<>();

    SimLazy(Simulation sim, SimSubtask subtask) {
        this.sim = sim;
        this.subtask = subtask;
    }

    /** As {@link GateEffects#firstTimers}, noted as it is and told with the deliberate bugs. */
    static long[] firstTimers(Simulation sim, Subscale s, int bins) {
        long[] timers = new long[2 * s.keyGroups().length * bins];
        int at = 0;
        for (int g : s.keyGroups()) {
            for (int bin = 0; bin < bins; bin++) {
                timers[at++] = firstOf(sim, g, new Bin(bin, bins));
                timers[at++] = sim.random.nextInt(3) > 0 ? DueTimers.NEVER : sim.processingTime();
            }
        }
        sim.firstTimers.put(s.id(), timers);
        return told(sim, timers.clone(), bins);
    }

    private static long firstOf(Simulation sim, int g, Bin bin) {
        long first = DueTimers.NEVER;
        for (long window : sim.detached.get(g).keySet()) {
            if ((window & 1) == 0 && sim.isIn(bin, Simulation.keyOfWindow(window))) {
                first = Math.min(first, Simulation.timeOfWindow(window));
            }
        }
        for (Simulation.Timer timer : sim.detachedTimers.get(g)) {
            first = sim.isIn(bin, timer.key()) ? Math.min(first, timer.timestamp()) : first;
        }
        return first;
    }

    private static long[] told(Simulation sim, long[] timers, int bins) {
        for (int i = 0; i < timers.length; i += 2) {
            if (sim.mutated(Mutation.TIMERS_UNTOLD)) {
                timers[i] = DueTimers.NEVER;
            }
            int bin = i / 2 % bins;
            if (sim.mutated(Mutation.TIMERS_OF_FIRST_BIN) && bin > 0) {
                timers[i - 2 * bin] = Math.min(timers[i - 2 * bin], timers[i]);
                timers[i] = DueTimers.NEVER;
            }
        }
        return timers;
    }

    void tellAt(Subscale s, long timestamp) {
        if (sim.mutated(Mutation.PROCESSING_TIME_ONCE) && called.containsKey(s.id())) {
            return;
        }
        calls.put(s.id(), timestamp);
        sim.tell(
                "processing time " + timestamp + " for " + s.id(),
                () -> {
                    if (sim.subtasks[subtask.index] == subtask) { // else it has retired
                        calls.remove(s.id());
                        called.put(s.id(), timestamp);
                        call(s, timestamp);
                    }
                });
    }

    private void call(Subscale s, long timestamp) {
        if (!sim.mutated(Mutation.PROCESSING_TIME_UNHEARD)) {
            subtask.gate.timersDue(s.id(), timestamp);
        }
        subtask.after();
    }

    /** After every call of the gate. */
    void checkAsked(Incoming<Item> in) {
        long[] timers = sim.firstTimers.get(in.subscale.id());
        if (!in.detached || timers == null) {
            return;
        }
        int[] parts = in.parts();
        long next = DueTimers.NEVER;
        for (int i = 0; i < parts.length; i++) {
            if (!in.isRequested(parts[i])) {
                check(
                        in.waiting(parts[i]) == 0 && !isDue(in, i),
                        "lazy: state is needed that has not been asked for");
                next = Math.min(next, timers[2 * i + 1]);
            }
        }
        long call = calls.getOrDefault(in.subscale.id(), DueTimers.NEVER);
        check(next == DueTimers.NEVER || call <= next, "lazy: nobody looks at processing time");
    }

    /** When a part is asked for. */
    void onPull(Incoming<Item> in, int part) {
        int[] parts = in.parts();
        for (int i = 0; i < parts.length; i++) {
            if (parts[i] == part) {
                boolean due = isDue(in, i);
                boolean awaited = in.waiting(part) > 0;
                check(
                        awaited || due || in.restWanted,
                        "lazy: something is asked for that nobody needs");
                sim.saw(
                        awaited
                                ? "fetched for a record"
                                : due ? "fetched for a timer" : "the rest is fetched");
            }
        }
    }

    private boolean isDue(Incoming<Item> in, int i) {
        long[] timers = sim.firstTimers.get(in.subscale.id());
        long clock = in.valve.clock();
        boolean timer = timers[2 * i] != DueTimers.NEVER;
        return timer && clock > in.detachClock && timers[2 * i] <= clock
                || timers[2 * i + 1] <= called.getOrDefault(in.subscale.id(), Long.MIN_VALUE);
    }

    /** How far event time may go downstream, as far as the subscale is concerned. */
    long mayEmit(Incoming<Item> in) {
        if (in.valve == null) {
            return Long.MIN_VALUE;
        }
        long[] timers = sim.firstTimers.get(in.subscale.id());
        long may = in.valve.clock();
        int[] parts = in.parts();
        for (int i = 0; in.detached && i < parts.length; i++) {
            if (!in.isInstalled(parts[i]) && timers[2 * i] != DueTimers.NEVER) {
                may = Math.min(may, Math.max(in.detachClock, timers[2 * i] - 1));
            }
        }
        return may;
    }
}
