package dev.drrs.runtime.run;

import dev.drrs.runtime.message.WaitTimes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How long subscales that were ready waited until they started: for their turn among others, and
 * for a checkpoint that was under way. By the JobManager's clock. Main thread.
 */
final class Turns {

    private final LongSupplier nanoClock;
    private final Map<Integer, Long> ready = new HashMap<>();
    private WaitTimes times = WaitTimes.NONE;

    Turns(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    void ready(int subscale) {
        ready.putIfAbsent(subscale, nanoClock.getAsLong());
    }

    /** It never starts. */
    void dropped(int subscale) {
        ready.remove(subscale);
    }

    void started(int subscale) {
        times = times.plus(nanoClock.getAsLong() - ready.remove(subscale));
    }

    WaitTimes times() {
        return times;
    }
}
