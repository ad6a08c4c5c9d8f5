package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** A row per tally, which must have come to the subtask that the custom partitioner names. */
final class PlacedFunction extends ProcessFunction<Tuple3<Long, Long, Long>, Result> {

    @Override
    public void processElement(
            Tuple3<Long, Long, Long> tally, Context context, Collector<Result> out) {
        int here = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        int wanted = Fan.place(tally.f0, Fan.PLACES);
        if (here != wanted) {
            throw new IllegalStateException(
                    "Key " + tally.f0 + " came to subtask " + here + " and not to " + wanted);
        }
        String json = Json.of("fan-placed").put("key", tally.f0).put("n", -tally.f1).end();
        out.collect(new Result(json, Long.toString(tally.f0), Result.NO_LATENCY, 0));
    }
}
