package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Running number of bids per auction, with an unstable key. */
final class ParityCount extends KeyedProcessFunction<ParityKey, ScheduledEvent, Result> {

    private transient ValueState<Long> count;

    @Override
    public void open(OpenContext context) {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        long key = context.getCurrentKey().auction();
        long n = count.value() == null ? 1 : count.value() + 1;
        count.update(n);
        String json = Json.of("parity").put("key", key).put("n", n).end();
        out.collect(new Result(json, Long.toString(key), event.scheduleMs(), n));
    }
}
