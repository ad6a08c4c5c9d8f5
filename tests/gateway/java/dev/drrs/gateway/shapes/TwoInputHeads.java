package dev.drrs.gateway.shapes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.co.RichCoFlatMapFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;

/** Heads with two inputs: the first two sources of the shape. */
final class TwoInputHeads {

    static final Set<String> NAMES =
            Set.of("connect", "connect-old", "connect-flat-map", "broadcast", "interval-join", "co-group");

    private static final MapStateDescriptor<String, Long> RULES =
            new MapStateDescriptor<>("rules", Types.STRING, Types.LONG);

    private TwoInputHeads() {}

    static Heads.Output of(String head, Heads.Input input, Lanes lanes) {
        return switch (head) {
            case "connect" -> Heads.Output.of(input.left().connect(input.right()).process(new Both(lanes)));
            case "connect-old" -> Heads.Output.of(input.left().connect(input.right()).process(new BothOld(lanes)));
            case "connect-flat-map" ->
                    Heads.Output.of(
                            input.left().connect(input.right()).flatMap(new BothFlat(lanes)).returns(Result.class));
            case "broadcast" ->
                    Heads.Output.of(
                            input.left().connect(input.each().get(1).broadcast(RULES)).process(new Ruled(lanes)));
            case "interval-join" ->
                    Heads.Output.of(
                            input.left()
                                    .intervalJoin(input.right())
                                    .between(Duration.ofMillis(-60), Duration.ofMillis(90))
                                    .process(new Pairs(lanes)));
            case "co-group" ->
                    Heads.Output.of(
                            input.each()
                                    .get(0)
                                    .coGroup(input.each().get(1))
                                    .where(input.kind().ofEvents(), input.kind().type())
                                    .equalTo(input.kind().ofEvents(), input.kind().type())
                                    .window(TumblingEventTimeWindows.of(Duration.ofMillis(600)))
                                    .apply(new Groups(lanes), Types.POJO(Result.class)));
            default -> null;
        };
    }

    private static long next(ValueState<Long> state) throws Exception {
        state.update(state.value() == null ? 1 : state.value() + 1);
        return state.value();
    }

    /** Numbers events of each input, and of both together; a timer for each of the left one. */
    private static final class Both extends KeyedCoProcessFunction<Object, Event, Event, Result> {
        private final Lanes lanes;
        private transient ValueState<Long> left;
        private transient ValueState<Long> right;
        private transient ValueState<Long> both;
        private transient ValueState<Long> fired;

        Both(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            left = getRuntimeContext().getState(new ValueStateDescriptor<>("left", Types.LONG));
            right = getRuntimeContext().getState(new ValueStateDescriptor<>("right", Types.LONG));
            both = getRuntimeContext().getState(new ValueStateDescriptor<>("both", Types.LONG));
            fired = getRuntimeContext().getState(new ValueStateDescriptor<>("fired", Types.LONG));
        }

        @Override
        public void processElement1(Event event, Context context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("left", event, next(left), ""));
            out.collect(lanes.numbered("both", event.key, next(both), event.id));
            // One a millisecond at most, so that it does not matter which events have one together.
            context.timerService().registerEventTimeTimer(event.ts + 200);
        }

        @Override
        public void processElement2(Event event, Context context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("right", event, next(right), ""));
            out.collect(lanes.numbered("both", event.key, next(both), event.id));
        }

        @Override
        public void onTimer(long at, OnTimerContext context, Collector<Result> out) throws Exception {
            out.collect(lanes.sequence("timers", KeyKind.id(context.getCurrentKey()), next(fired), at));
        }
    }

    private static final class BothOld extends CoProcessFunction<Event, Event, Result> {
        private final Lanes lanes;
        private transient ValueState<Long> left;
        private transient ValueState<Long> right;

        BothOld(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            left = getRuntimeContext().getState(new ValueStateDescriptor<>("left", Types.LONG));
            right = getRuntimeContext().getState(new ValueStateDescriptor<>("right", Types.LONG));
        }

        @Override
        public void processElement1(Event event, Context context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("left", event, next(left), ""));
        }

        @Override
        public void processElement2(Event event, Context context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("right", event, next(right), ""));
        }
    }

    private static final class BothFlat extends RichCoFlatMapFunction<Event, Event, Result> {
        private final Lanes lanes;
        private transient ValueState<Long> both;

        BothFlat(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            both = getRuntimeContext().getState(new ValueStateDescriptor<>("both", Types.LONG));
        }

        @Override
        public void flatMap1(Event event, Collector<Result> out) throws Exception {
            out.collect(lanes.numbered("both", event.key, next(both), event.id));
        }

        @Override
        public void flatMap2(Event event, Collector<Result> out) throws Exception {
            out.collect(lanes.numbered("both", event.key, next(both), event.id));
        }
    }

    /** The right input are rules that all subtasks hear; each is applied to all keys. */
    private static final class Ruled extends KeyedBroadcastProcessFunction<Object, Event, Event, Result> {
        private final Lanes lanes;
        private final ValueStateDescriptor<Long> numberState = new ValueStateDescriptor<>("number", Types.LONG);
        private final ValueStateDescriptor<Long> appliedState = new ValueStateDescriptor<>("applied", Types.LONG);
        private transient ValueState<Long> number;

        Ruled(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            number = getRuntimeContext().getState(numberState);
        }

        @Override
        public void processElement(Event event, ReadOnlyContext context, Collector<Result> out) throws Exception {
            out.collect(lanes.ofEvent("elements", event, next(number), ""));
            Long rules = context.getBroadcastState(RULES).get("count");
            out.collect(lanes.upwards("rules", event.key, rules == null ? 0 : rules));
        }

        @Override
        public void processBroadcastElement(Event rule, Context context, Collector<Result> out) throws Exception {
            Long before = context.getBroadcastState(RULES).get("count");
            long now = before == null ? 1 : before + 1;
            context.getBroadcastState(RULES).put("count", now);
            context.applyToKeyedState(
                    numberState,
                    (key, state) -> {
                        out.collect(lanes.upwards("rules", KeyKind.id(key), now));
                        out.collect(lanes.gapless("applied", KeyKind.id(key), now));
                    });
        }
    }

    private static final class Pairs extends ProcessJoinFunction<Event, Event, Result> {
        private final Lanes lanes;

        Pairs(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void processElement(Event left, Event right, Context context, Collector<Result> out) {
            out.collect(lanes.any("pairs", left.key, 0, left.id + ":" + right.id));
        }
    }

    private static final class Groups implements CoGroupFunction<Event, Event, Result> {
        private final Lanes lanes;

        Groups(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void coGroup(Iterable<Event> left, Iterable<Event> right, Collector<Result> out) {
            List<Long> of = ids(left);
            List<Long> with = ids(right);
            Event any = (of.isEmpty() ? right : left).iterator().next();
            out.collect(lanes.sequence("groups", any.key, of.size(), of + "+" + with));
        }

        private List<Long> ids(Iterable<Event> events) {
            List<Long> ids = new ArrayList<>(StreamSupport.stream(events.spliterator(), false).map(e -> e.id).toList());
            if (!lanes.ordered()) {
                ids.sort(null);
            }
            return ids;
        }
    }
}
