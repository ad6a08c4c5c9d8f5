package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * How many tallies of {@code left} (negative numbers) and of {@code right} a key has in each second
 * of event time. Nothing may be late: a tally behind the watermark is an error.
 */
final class MeetFunction extends KeyedProcessFunction<Long, Tuple3<Long, Long, Long>, Result> {

    private transient MapState<Long, Long> left;
    private transient MapState<Long, Long> right;

    @Override
    public void open(OpenContext context) {
        left = seconds("left");
        right = seconds("right");
    }

    private MapState<Long, Long> seconds(String name) {
        return getRuntimeContext()
                .getMapState(new MapStateDescriptor<>(name, Types.LONG, Types.LONG));
    }

    @Override
    public void processElement(
            Tuple3<Long, Long, Long> tally, Context context, Collector<Result> out)
            throws Exception {
        if (tally.f2 <= context.timerService().currentWatermark()) {
            throw new IllegalStateException(
                    "A record at "
                            + tally.f2
                            + " is behind the watermark "
                            + context.timerService().currentWatermark());
        }
        long end = Math.floorDiv(tally.f2, KeyTimers.SECOND_MS) * KeyTimers.SECOND_MS;
        end += KeyTimers.SECOND_MS;
        MapState<Long, Long> counts = tally.f1 < 0 ? left : right;
        counts.put(end, counts.contains(end) ? counts.get(end) + 1 : 1L);
        context.timerService().registerEventTimeTimer(end);
    }

    @Override
    public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
        long key = context.getCurrentKey();
        String json =
                Json.of("fan")
                        .put("key", key)
                        .put("at", at)
                        .put("left", take(left, at))
                        .put("right", take(right, at))
                        .end();
        out.collect(new Result(json, Long.toString(key), Result.NO_LATENCY, 0));
    }

    private static long take(MapState<Long, Long> counts, long at) throws Exception {
        Long count = counts.get(at);
        counts.remove(at);
        return count == null ? 0 : count;
    }
}
