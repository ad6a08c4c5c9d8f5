package dev.drrs.dist;

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.TimerService;

/**
 * What a keyed operator with one or two inputs counts per key and event time: how many elements of
 * either input it has met. A timer at the very time of the elements tells; one that fired too early
 * would miss some, and an element behind its timer makes the job fail.
 */
final class MetByTime {

    private final MapState<Long, Integer> first;
    private final MapState<Long, Integer> second;

    MetByTime(RuntimeContext context) {
        first = context.getMapState(new MapStateDescriptor<>("first", Types.LONG, Types.INT));
        second = context.getMapState(new MapStateDescriptor<>("second", Types.LONG, Types.INT));
    }

    void first(Tuple2<Long, Long> element, TimerService timers) throws Exception {
        meet(first, element, timers);
    }

    void second(Tuple2<Long, Long> element, TimerService timers) throws Exception {
        meet(second, element, timers);
    }

    private static void meet(
            MapState<Long, Integer> met, Tuple2<Long, Long> element, TimerService timers)
            throws Exception {
        if (element.f1 <= timers.currentWatermark()) {
            throw new IllegalStateException(
                    element + " is late, event time is " + timers.currentWatermark());
        }
        Integer before = met.get(element.f1);
        met.put(element.f1, before == null ? 1 : before + 1);
        timers.registerEventTimeTimer(element.f1);
    }

    /** The result of a timer. */
    String result(Object key, long time) throws Exception {
        int a = first.contains(time) ? first.get(time) : 0;
        int b = second.contains(time) ? second.get(time) : 0;
        first.remove(time);
        second.remove(time);
        return expected(key, time, a, b);
    }

    static String expected(Object key, long time, int first, int second) {
        return key + "@" + time + ": " + first + ", " + second;
    }
}
