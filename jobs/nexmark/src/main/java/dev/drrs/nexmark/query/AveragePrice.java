package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Running mean of the winning prices of a category, rounded down, a row at each; the last row of a
 * key is the query's result.
 */
final class AveragePrice
        extends KeyedProcessFunction<Long, Tuple2<ScheduledEvent, ScheduledEvent>, Result> {

    private transient ValueState<Tuple2<Long, Long>> countAndSum;

    @Override
    public void open(OpenContext context) {
        countAndSum =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "prices", Types.TUPLE(Types.LONG, Types.LONG)));
    }

    @Override
    public void processElement(
            Tuple2<ScheduledEvent, ScheduledEvent> won, Context context, Collector<Result> out)
            throws Exception {
        Tuple2<Long, Long> before = countAndSum.value();
        long n = (before == null ? 0 : before.f0) + 1;
        long sum = (before == null ? 0 : before.f1) + won.f1.bid().price();
        countAndSum.update(Tuple2.of(n, sum));
        long category = context.getCurrentKey();
        String json = Json.of("q4").put("category", category).put("n", n).put("avg", sum / n).end();
        out.collect(new Result(json, Long.toString(category), AuctionEnds.dueMs(won), n));
    }
}
