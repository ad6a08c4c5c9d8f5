package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Each bid with the value that a side input has for its key. The side input has one row a key and
 * then ends; a bid that comes before its row waits for it.
 */
final class SideInputFunction
        extends KeyedCoProcessFunction<Long, ScheduledEvent, Tuple2<Long, Long>, Result> {

    private final ServiceTime service;

    private transient ValueState<Long> value;
    private transient ListState<ScheduledEvent> early;

    SideInputFunction(ServiceTime service) {
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        value = getRuntimeContext().getState(new ValueStateDescriptor<>("value", Types.LONG));
        early =
                getRuntimeContext()
                        .getListState(
                                new ListStateDescriptor<>("early", ScheduledEventSerializer.TYPE));
    }

    @Override
    public void processElement1(ScheduledEvent bid, Context context, Collector<Result> out)
            throws Exception {
        service.serve(bid, bid.bid().auction());
        if (value.value() == null) {
            early.add(bid);
        } else {
            out.collect(row(bid, value.value()));
        }
    }

    @Override
    public void processElement2(Tuple2<Long, Long> side, Context context, Collector<Result> out)
            throws Exception {
        if (value.value() != null) {
            throw new IllegalStateException("The side input has key " + side.f0 + " twice");
        }
        value.update(side.f1);
        for (ScheduledEvent bid : early.get()) {
            out.collect(row(bid, side.f1));
        }
        early.clear();
    }

    private static Result row(ScheduledEvent bid, long value) {
        String json =
                Json.of("q13")
                        .put("auction", bid.bid().auction())
                        .put("bidder", bid.bid().bidder())
                        .put("price", bid.bid().price())
                        .put("at", bid.bid().timestamp())
                        .put("value", value)
                        .end();
        return new Result(json, Long.toString(bid.bid().auction()), bid.scheduleMs(), 0);
    }
}
