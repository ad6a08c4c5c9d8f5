package dev.drrs.runtime.history;

import dev.drrs.protocol.RescaleLifecycle.Entered;
import java.util.List;

/** What the phases of a rescale say of its time and end. Any thread. */
public final class Phases {

    private Phases() {}

    /** Epoch milliseconds, or -1 while it goes on. */
    static long endedAt(List<Entered> phases) {
        Entered last = end(phases);
        return last.phase().isTerminal() ? last.at() : -1;
    }

    /** Milliseconds spent in the n-th of the phases, up to now if it goes on. */
    static long duration(List<Entered> phases, int n, long now) {
        Entered entered = phases.get(n);
        if (entered.phase().isTerminal()) {
            return 0;
        }
        long end = n + 1 < phases.size() ? phases.get(n + 1).at() : Math.max(now, entered.at());
        return end - entered.at();
    }

    public static Entered end(List<Entered> phases) {
        return phases.get(phases.size() - 1);
    }
}
