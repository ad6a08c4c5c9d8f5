package dev.drrs.dist;

import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A keyed operator with a broadcast input. Each key counts the rules it has been shown: those that
 * were there when it came, and each further one as it comes. At each element of a key that number
 * has to be the number of rules, whatever has moved meanwhile; else the job fails.
 */
final class BroadcastRules
        extends KeyedBroadcastProcessFunction<
                Integer, Tuple2<Long, Long>, Tuple2<Long, Long>, String> {

    /** The numbers of the rules, and below them how many there are. */
    private static final MapStateDescriptor<Long, Long> RULES =
            new MapStateDescriptor<>("rules", Types.LONG, Types.LONG);

    private static final long COUNT = -1;
    private static final long END = Long.MAX_VALUE - 1;

    private static final ValueStateDescriptor<Long> SHOWN =
            new ValueStateDescriptor<>("shown", Types.LONG);

    /** How long a rule takes in the second subtask. */
    private final long millis;

    private transient MetByTime met;
    private transient ValueState<Long> shown;
    private transient ValueState<Long> elements;

    private BroadcastRules(long millis) {
        this.millis = millis;
    }

    /** The operator is named "operator". */
    static DataStream<String> of(
            DataStream<Tuple2<Long, Long>> elements, DataStream<Tuple2<Long, Long>> rules) {
        return of(elements, rules, 0);
    }

    /**
     * @param millis that a rule takes in the second subtask, which so falls behind the others
     */
    static DataStream<String> of(
            DataStream<Tuple2<Long, Long>> elements,
            DataStream<Tuple2<Long, Long>> rules,
            long millis) {
        return elements.keyBy(SeveralInputs::key, Types.INT)
                .connect(rules.broadcast(RULES))
                .process(new BroadcastRules(millis))
                .name("operator")
                .uid("operator");
    }

    /** What a key says in the end. */
    static String expected(Object key, long elements, long rules) {
        return key + ": " + elements + " elements, " + rules + " rules";
    }

    @Override
    public void open(OpenContext context) {
        met = new MetByTime(getRuntimeContext());
        shown = getRuntimeContext().getState(SHOWN);
        elements = getRuntimeContext().getState(new ValueStateDescriptor<>("elements", Types.LONG));
    }

    @Override
    public void processElement(
            Tuple2<Long, Long> element, ReadOnlyContext context, Collector<String> out)
            throws Exception {
        SeveralInputs.failIfAsked();
        long rules = count(context.getBroadcastState(RULES));
        if (shown.value() == null) {
            shown.update(rules);
            elements.update(0L);
            context.timerService().registerEventTimeTimer(END);
        }
        if (shown.value() != rules) {
            throw new IllegalStateException(
                    "key "
                            + context.getCurrentKey()
                            + " has been shown "
                            + shown.value()
                            + " of "
                            + rules
                            + " rules");
        }
        elements.update(elements.value() + 1);
        met.first(element, context.timerService());
    }

    @Override
    public void processBroadcastElement(
            Tuple2<Long, Long> rule, Context context, Collector<String> out) throws Exception {
        if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 1) {
            Thread.sleep(millis); // work
        }
        BroadcastState<Long, Long> rules = context.getBroadcastState(RULES);
        if (rules.contains(rule.f0)) {
            throw new IllegalStateException("rule " + rule + " has come before");
        }
        rules.put(rule.f0, rule.f1);
        rules.put(COUNT, count(rules) + 1);
        context.applyToKeyedState(SHOWN, (key, state) -> state.update(state.value() + 1));
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<String> out) throws Exception {
        if (time < END) {
            out.collect(met.result(context.getCurrentKey(), time));
            return;
        }
        long rules = 0;
        for (Map.Entry<Long, Long> rule : context.getBroadcastState(RULES).immutableEntries()) {
            rules += rule.getKey() == COUNT ? 0 : 1;
        }
        if (rules != shown.value()) {
            throw new IllegalStateException(shown.value() + " of " + rules + " rules were shown");
        }
        out.collect(expected(context.getCurrentKey(), elements.value(), rules));
    }

    private static long count(ReadOnlyBroadcastState<Long, Long> rules) throws Exception {
        Long count = rules.get(COUNT);
        return count == null ? 0 : count;
    }
}
