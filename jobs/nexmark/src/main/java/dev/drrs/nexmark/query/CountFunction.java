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

/** Running number of bids and sum of their prices per key, one output per bid. */
final class CountFunction extends KeyedProcessFunction<Long, ScheduledEvent, Result> {

    private final String query;
    private final ServiceTime service;
    private final Ballast ballast;
    private final KeyTimers timers;

    private transient ValueState<Tuple2<Long, Long>> countAndSum;

    /** Without timers if those are null. */
    CountFunction(String query, ServiceTime service, Ballast ballast, KeyTimers timers) {
        this.query = query;
        this.service = service;
        this.ballast = ballast;
        this.timers = timers;
    }

    @Override
    public void open(OpenContext context) {
        countAndSum =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "count", Types.TUPLE(Types.LONG, Types.LONG)));
        ballast.open(getRuntimeContext());
        if (timers != null) {
            timers.open(getRuntimeContext());
        }
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        long key = context.getCurrentKey();
        if (event.isPreload()) {
            ballast.preload(key);
            return;
        }
        service.serve(event, key);
        Tuple2<Long, Long> before = countAndSum.value();
        ballast.use(key, before == null);
        long n = (before == null ? 0 : before.f0) + 1;
        long sum = (before == null ? 0 : before.f1) + event.bid().price();
        countAndSum.update(Tuple2.of(n, sum));
        if (timers != null) {
            timers.onEvent(event.bid().timestamp(), context.timerService());
        }
        String json = Json.of(query).put("key", key).put("n", n).put("sum", sum).end();
        out.collect(new Result(json, Long.toString(key), event.scheduleMs(), n));
    }

    @Override
    public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
        out.collect(
                timers.onTimer(
                        context.getCurrentKey(), at, context.timeDomain(), context.timerService()));
    }
}
