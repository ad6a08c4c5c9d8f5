package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Numbers the bids of each key: key, number, event time; and a row of each in a side output. */
final class TallyFunction
        extends KeyedProcessFunction<Long, ScheduledEvent, Tuple3<Long, Long, Long>> {

    private final ServiceTime service;
    private final OutputTag<Result> side;

    private transient ValueState<Long> count;

    /** Without a side output if that is null. */
    TallyFunction(ServiceTime service, OutputTag<Result> side) {
        this.service = service;
        this.side = side;
    }

    @Override
    public void open(OpenContext context) {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public void processElement(
            ScheduledEvent event, Context context, Collector<Tuple3<Long, Long, Long>> out)
            throws Exception {
        long key = context.getCurrentKey();
        service.serve(event, key);
        long n = (count.value() == null ? 0 : count.value()) + 1;
        count.update(n);
        out.collect(Tuple3.of(key, n, event.bid().timestamp()));
        if (side != null) {
            String json = Json.of("fan-side").put("key", key).put("n", n).end();
            context.output(side, new Result(json, Long.toString(key), event.scheduleMs(), n));
        }
    }
}
