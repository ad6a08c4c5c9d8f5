package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import java.io.Serializable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;

/**
 * Timers of both kinds whose firings a plain loop can foretell.
 *
 * <p>Each event registers an event-time timer at the next whole second after its time. When it
 * fires at T it reports how many events of the key lie before T, in whatever order events and
 * watermark came, and registers a processing-time timer {@value #DELAY_MS} ms later. That one
 * reports how many of its kind have fired for the key.
 *
 * <p>With each timer a second one is registered, which the first one deletes when it fires. One
 * that fires all the same fails the job.
 */
final class KeyTimers implements Serializable {

    static final long SECOND_MS = 1000;
    static final long DELAY_MS = 200;

    /** From an event timer to the one it deletes. */
    static final long NEVER_EVENT_MS = 500;

    /** From a processing timer, at an even time, to the one it deletes. */
    static final long NEVER_PROCESSING_MS = 101;

    private transient MapState<Long, Long> perSecond;

    /**
     * Events in seconds that are over; last processing-time timer registered; processing-time
     * timers fired.
     */
    private transient ValueState<Tuple3<Long, Long, Long>> totals;

    void open(RuntimeContext context) {
        perSecond =
                context.getMapState(
                        new MapStateDescriptor<>("timer-seconds", Types.LONG, Types.LONG));
        totals =
                context.getState(
                        new ValueStateDescriptor<>(
                                "timer-totals", Types.TUPLE(Types.LONG, Types.LONG, Types.LONG)));
    }

    void onEvent(long timestamp, TimerService timers) throws Exception {
        long end = Math.floorDiv(timestamp, SECOND_MS) * SECOND_MS + SECOND_MS;
        Long before = perSecond.get(end);
        perSecond.put(end, before == null ? 1L : before + 1);
        timers.registerEventTimeTimer(end);
        timers.registerEventTimeTimer(end + NEVER_EVENT_MS);
    }

    Result onTimer(long key, long at, TimeDomain domain, TimerService timers) throws Exception {
        Tuple3<Long, Long, Long> total = totals.value();
        total = total == null ? Tuple3.of(0L, 0L, 0L) : total.copy();
        if (isDeleted(at, domain)) {
            throw new IllegalStateException(
                    "timer " + at + " in " + domain + " of key " + key + " was deleted and fires");
        }
        if (domain == TimeDomain.EVENT_TIME) {
            timers.deleteEventTimeTimer(at + NEVER_EVENT_MS);
            total.f0 += perSecond.get(at);
            perSecond.remove(at);
            // One per firing: two event-time timers may fire within a millisecond, and equal timers
            // are one timer.
            total.f1 = Math.max(even(timers.currentProcessingTime() + DELAY_MS), total.f1 + 2);
            timers.registerProcessingTimeTimer(total.f1);
            timers.registerProcessingTimeTimer(total.f1 + NEVER_PROCESSING_MS);
        } else {
            timers.deleteProcessingTimeTimer(at + NEVER_PROCESSING_MS);
            total.f2++;
        }
        totals.update(total);
        boolean event = domain == TimeDomain.EVENT_TIME;
        String json =
                Json.of("timer")
                        .put("key", key)
                        .put("kind", event ? "event" : "processing")
                        .put("at", at)
                        .put("n", event ? total.f0 : total.f2)
                        .end();
        return new Result(json, Long.toString(key), Result.NO_LATENCY, 0);
    }

    private static boolean isDeleted(long at, TimeDomain domain) {
        return domain == TimeDomain.EVENT_TIME
                ? Math.floorMod(at, SECOND_MS) == NEVER_EVENT_MS
                : at % 2 != 0;
    }

    private static long even(long time) {
        return time & ~1L;
    }
}
