package dev.drrs.gateway.shapes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.datastream.WindowedStream;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor;
import org.apache.flink.streaming.api.windowing.evictors.TimeEvictor;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.triggers.TriggerResult;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.api.windowing.windows.Window;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Windows. */
final class WindowHeads {

    private static final OutputTag<Event> LATE = new OutputTag<>("late", Types.POJO(Event.class));

    private WindowHeads() {}

    static Heads.Output of(String head, Heads.Input input, Lanes lanes) {
        KeyedStream<Event, Object> keyed = input.keyed();
        return switch (head) {
            case "tumbling" ->
                    late(keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(500))), Duration.ZERO, lanes);
            case "lateness" ->
                    late(
                            keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(500))),
                            Duration.ofMillis(2_200),
                            lanes);
            case "sliding" ->
                    Heads.Output.of(
                            keyed.window(SlidingEventTimeWindows.of(Duration.ofMillis(900), Duration.ofMillis(300)))
                                    .aggregate(new Ids(), new Whole<>(lanes)));
            case "session" -> late(keyed.window(EventTimeSessionWindows.withGap(Duration.ofMillis(150))), Duration.ZERO, lanes);
            case "reduce-window" ->
                    Heads.Output.of(
                            keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(400)))
                                    .reduce((a, b) -> b.after(a), new Reduced(lanes)));
            case "trigger" ->
                    Heads.Output.of(
                            keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(700)))
                                    .trigger(new EveryThird())
                                    .process(new EarlyOrFinal(lanes)));
            case "window-state" ->
                    Heads.Output.of(
                            keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(300)))
                                    .process(new Remembering(lanes)));
            case "evictor" ->
                    Heads.Output.of(
                            keyed.window(SlidingEventTimeWindows.of(Duration.ofMillis(800), Duration.ofMillis(400)))
                                    .evictor(TimeEvictor.of(Duration.ofMillis(250)))
                                    .process(new All<>(lanes)));
            case "count-window" ->
                    Heads.Output.of(
                            keyed.window(GlobalWindows.create())
                                    .trigger(PurgingTrigger.of(CountTrigger.of(5)))
                                    .process(new All<>(lanes)));
            case "count-sliding" ->
                    Heads.Output.of(
                            keyed.window(GlobalWindows.create())
                                    .trigger(CountTrigger.of(2))
                                    .evictor(CountEvictor.of(6))
                                    .process(new All<>(lanes)));
            case "processing-window" ->
                    Heads.Output.of(
                            keyed.window(TumblingProcessingTimeWindows.of(Duration.ofMillis(60)))
                                    .process(new Sums(lanes)));
            default -> null;
        };
    }

    private static Heads.Output late(
            WindowedStream<Event, Object, TimeWindow> windows, Duration lateness, Lanes lanes) {
        SingleOutputStreamOperator<Result> main =
                windows.allowedLateness(lateness).sideOutputLateData(LATE).process(new All<>(lanes));
        DataStream<Result> late =
                main.getSideOutput(LATE).map(event -> lanes.sequence("late", event.key, 0, event.id)).returns(Result.class);
        return new Heads.Output(main, List.of(late));
    }

    private static String text(Window window, Lanes lanes, List<Long> ids) {
        if (!lanes.ordered()) {
            Collections.sort(ids);
        }
        long end = window instanceof TimeWindow time ? time.getEnd() % 1_000_000_000 : 0;
        return end + ":" + ids.size() + ":" + Long.toHexString(ids.hashCode()) + ":" + ids.get(0);
    }

    /** All events of a window. */
    private static final class All<W extends Window> extends ProcessWindowFunction<Event, Result, Object, W> {
        private final Lanes lanes;

        All(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<Event> events, Collector<Result> out) {
            List<Long> ids = new ArrayList<>();
            events.forEach(event -> ids.add(event.id));
            out.collect(lanes.sequence("windows", KeyKind.id(key), ids.size(), text(context.window(), lanes, ids)));
        }
    }

    private static final class Ids implements AggregateFunction<Event, List<Long>, List<Long>> {
        @Override
        public List<Long> createAccumulator() {
            return new ArrayList<>();
        }

        @Override
        public List<Long> add(Event event, List<Long> ids) {
            ids.add(event.id);
            return ids;
        }

        @Override
        public List<Long> getResult(List<Long> ids) {
            return ids;
        }

        @Override
        public List<Long> merge(List<Long> a, List<Long> b) {
            a.addAll(b);
            return a;
        }
    }

    private static final class Whole<W extends Window> extends ProcessWindowFunction<List<Long>, Result, Object, W> {
        private final Lanes lanes;

        Whole(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<List<Long>> ids, Collector<Result> out) {
            List<Long> all = new ArrayList<>(ids.iterator().next());
            out.collect(lanes.sequence("windows", KeyKind.id(key), all.size(), text(context.window(), lanes, all)));
        }
    }

    private static final class Reduced extends ProcessWindowFunction<Event, Result, Object, TimeWindow> {
        private final Lanes lanes;

        Reduced(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<Event> events, Collector<Result> out) {
            Event sum = events.iterator().next();
            out.collect(
                    lanes.sequence(
                            "windows",
                            KeyKind.id(key),
                            sum.count,
                            context.window().getEnd() + ":" + sum.value + (lanes.ordered() ? ":" + sum.id : "")));
        }
    }

    /** Fires at each third event of a window, and at its end. */
    private static final class EveryThird extends Trigger<Event, TimeWindow> {
        private final ReducingStateDescriptor<Long> count =
                new ReducingStateDescriptor<>("count", Long::sum, Types.LONG);

        @Override
        public TriggerResult onElement(Event event, long timestamp, TimeWindow window, TriggerContext context)
                throws Exception {
            context.registerEventTimeTimer(window.maxTimestamp());
            ReducingState<Long> seen = context.getPartitionedState(count);
            seen.add(1L);
            return seen.get() % 3 == 0 ? TriggerResult.FIRE : TriggerResult.CONTINUE;
        }

        @Override
        public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
            return TriggerResult.FIRE_AND_PURGE;
        }

        @Override
        public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
            return TriggerResult.CONTINUE;
        }

        @Override
        public void clear(TimeWindow window, TriggerContext context) {
            context.getPartitionedState(count).clear();
            context.deleteEventTimeTimer(window.maxTimestamp());
        }
    }

    private static final class EarlyOrFinal extends ProcessWindowFunction<Event, Result, Object, TimeWindow> {
        private final Lanes lanes;

        EarlyOrFinal(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<Event> events, Collector<Result> out) {
            List<Long> ids = new ArrayList<>();
            events.forEach(event -> ids.add(event.id));
            boolean end = context.currentWatermark() >= context.window().maxTimestamp();
            long id = KeyKind.id(key);
            if (end) {
                out.collect(lanes.sequence("final", id, ids.size(), text(context.window(), lanes, ids)));
            } else if (lanes.ordered()) {
                out.collect(lanes.sequence("early", id, ids.size(), text(context.window(), lanes, ids)));
            } else {
                out.collect(lanes.any("early", id, ids.size(), context.window().getEnd()));
            }
        }
    }

    /** State of a window and of a key, some of it registered late. */
    private static final class Remembering extends ProcessWindowFunction<Event, Result, Object, TimeWindow> {
        private final Lanes lanes;

        Remembering(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<Event> events, Collector<Result> out)
                throws Exception {
            ValueState<Long> all = context.globalState().getState(new ValueStateDescriptor<>("all", Types.LONG));
            ValueState<Long> own = context.windowState().getState(new ValueStateDescriptor<>("own", Types.LONG));
            long count = 0;
            for (Event event : events) {
                count++;
            }
            all.update((all.value() == null ? 0 : all.value()) + count);
            own.update((own.value() == null ? 0 : own.value()) + 1);
            out.collect(
                    lanes.sequence(
                            "windows",
                            KeyKind.id(key),
                            all.value(),
                            context.window().getEnd() + ":" + own.value() + ":" + count));
        }

        @Override
        public void clear(Context context) throws Exception {
            context.windowState().getState(new ValueStateDescriptor<>("own", Types.LONG)).clear();
        }
    }

    /** How many events there were up to the end of a window of the clock. */
    private static final class Sums extends ProcessWindowFunction<Event, Result, Object, TimeWindow> {
        private final Lanes lanes;

        Sums(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<Event> events, Collector<Result> out)
                throws Exception {
            ValueState<Long> all = context.globalState().getState(new ValueStateDescriptor<>("all", Types.LONG));
            for (Event event : events) {
                all.update((all.value() == null ? 0 : all.value()) + 1);
                out.collect(lanes.ofEvent("elements", event, all.value(), ""));
            }
            out.collect(lanes.rising("windows", KeyKind.id(key), all.value()));
        }
    }
}
