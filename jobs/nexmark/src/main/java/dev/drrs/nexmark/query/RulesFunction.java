package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Bids per key, and how many rules each key has been shown: those that were there when it came, and
 * each further one as it comes, through {@code applyToKeyedState}. At each bid that has to be the
 * number of rules. One output per key, when all events have come.
 */
final class RulesFunction
        extends KeyedBroadcastProcessFunction<Long, ScheduledEvent, ScheduledEvent, Result> {

    /** A rule's number to its price, and below them how many there are. */
    static final MapStateDescriptor<Long, Long> RULES =
            new MapStateDescriptor<>("rules", Types.LONG, Types.LONG);

    private static final long COUNT = -1;
    private static final long END = Long.MAX_VALUE - 1;

    private static final ValueStateDescriptor<Long> SHOWN =
            new ValueStateDescriptor<>("shown", Types.LONG);

    private final ServiceTime service;

    private transient ValueState<Long> shown;
    private transient ValueState<Long> bids;

    RulesFunction(ServiceTime service) {
        this.service = service;
    }

    @Override
    public void open(OpenContext context) {
        shown = getRuntimeContext().getState(SHOWN);
        bids = getRuntimeContext().getState(new ValueStateDescriptor<>("bids", Types.LONG));
    }

    @Override
    public void processElement(ScheduledEvent event, ReadOnlyContext context, Collector<Result> out)
            throws Exception {
        long key = context.getCurrentKey();
        service.serve(event, key);
        long rules = count(context.getBroadcastState(RULES));
        if (shown.value() == null) {
            shown.update(rules);
            bids.update(0L);
            context.timerService().registerEventTimeTimer(END);
        }
        if (shown.value() != rules) {
            throw new IllegalStateException(
                    "Key " + key + " has been shown " + shown.value() + " of " + rules + " rules");
        }
        bids.update(bids.value() + 1);
    }

    @Override
    public void processBroadcastElement(ScheduledEvent rule, Context context, Collector<Result> out)
            throws Exception {
        BroadcastState<Long, Long> rules = context.getBroadcastState(RULES);
        if (rules.contains(rule.event().number())) {
            throw new IllegalStateException("Rule " + rule.event().number() + " comes twice");
        }
        rules.put(rule.event().number(), rule.bid().price());
        rules.put(COUNT, count(rules) + 1);
        context.applyToKeyedState(SHOWN, (key, state) -> state.update(state.value() + 1));
    }

    @Override
    public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
        ReadOnlyBroadcastState<Long, Long> rules = context.getBroadcastState(RULES);
        long sum = 0;
        for (var rule : rules.immutableEntries()) {
            sum += rule.getKey() == COUNT ? 0 : rule.getValue();
        }
        long key = context.getCurrentKey();
        String json =
                Json.of("rules")
                        .put("key", key)
                        .put("n", bids.value())
                        .put("shown", shown.value())
                        .put("rules", count(rules))
                        .put("sum", sum)
                        .end();
        out.collect(new Result(json, Long.toString(key), Result.NO_LATENCY, 0));
    }

    private static long count(ReadOnlyBroadcastState<Long, Long> rules) throws Exception {
        Long count = rules.get(COUNT);
        return count == null ? 0 : count;
    }
}
