package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.io.Serializable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

/**
 * All pairs of two events of a key, one of each input, whatever their times: an inner join without
 * windows. State only grows, and which rows there are in the end does not depend on the order of
 * arrival.
 */
final class JoinFunction
        extends KeyedCoProcessFunction<Long, ScheduledEvent, ScheduledEvent, Result> {

    /** How a pair is written. */
    interface Row extends Serializable {
        String of(ScheduledEvent left, ScheduledEvent right);
    }

    private final Row row;
    private final ServiceTime service;

    private transient ListState<ScheduledEvent> left;
    private transient ListState<ScheduledEvent> right;

    JoinFunction(Row row, ServiceTime service) {
        this.row = row;
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        left = events("left");
        right = events("right");
    }

    private ListState<ScheduledEvent> events(String name) {
        return getRuntimeContext()
                .getListState(new ListStateDescriptor<>(name, ScheduledEventSerializer.TYPE));
    }

    @Override
    public void processElement1(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        service.serve(event, context.getCurrentKey());
        left.add(event);
        for (ScheduledEvent other : right.get()) {
            out.collect(result(row.of(event, other), event, other, context));
        }
    }

    @Override
    public void processElement2(ScheduledEvent event, Context context, Collector<Result> out)
            throws Exception {
        service.serve(event, context.getCurrentKey());
        right.add(event);
        for (ScheduledEvent other : left.get()) {
            out.collect(result(row.of(other, event), event, other, context));
        }
    }

    /** Due when the later of the two was. */
    private static Result result(
            String json, ScheduledEvent one, ScheduledEvent other, Context context) {
        long due = Math.max(one.scheduleMs(), other.scheduleMs());
        return new Result(json, Long.toString(context.getCurrentKey()), due, 0);
    }
}
