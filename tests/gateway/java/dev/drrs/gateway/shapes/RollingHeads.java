package dev.drrs.gateway.shapes;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.functions.TimedOutPartialMatchHandler;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Rolling aggregates, rich functions and patterns: heads that are no process functions. */
final class RollingHeads {

    private static final OutputTag<Result> TIMED_OUT = new OutputTag<>("timed out", Types.POJO(Result.class));

    private RollingHeads() {}

    static Heads.Output of(String head, Heads.Input input, Lanes lanes) {
        return switch (head) {
            case "reduce" ->
                    Heads.Output.of(
                            input.named(input.keyed().reduce((a, b) -> b.after(a)))
                                    .map(sum -> lanes.ofEvent("elements", sum, sum.count, sum.value))
                                    .returns(Result.class)
                                    .uid(input.uid() + "-results"));
            case "sum" -> rolling(input, input.keyed().sum("value"), lanes);
            case "min" -> rolling(input, input.keyed().min("value"), lanes);
            case "max-by" -> rolling(input, input.keyed().maxBy("value"), lanes);
            case "rich-map" -> Heads.Output.of(input.keyed().map(new Numbering(lanes)).returns(Result.class));
            case "rich-flat-map" ->
                    Heads.Output.of(input.keyed().flatMap(new NumberingTwice(lanes)).returns(Result.class));
            case "rich-filter" ->
                    Heads.Output.of(
                            input.named(input.keyed().filter(new EveryOther()))
                                    .map(event -> lanes.sequence("elements", event.key, 0, event.id))
                                    .returns(Result.class)
                                    .uid(input.uid() + "-results"));
            case "pattern" -> pattern(input, lanes);
            default -> null;
        };
    }

    private static Heads.Output rolling(
            Heads.Input input, SingleOutputStreamOperator<Event> sums, Lanes lanes) {
        return Heads.Output.of(
                input.named(sums)
                        .map(sum -> lanes.sequence("elements", sum.key, sum.value, sum.id))
                        .returns(Result.class)
                        .uid(input.uid() + "-results"));
    }

    private static Heads.Output pattern(Heads.Input input, Lanes lanes) {
        Pattern<Event, Event> pattern =
                Pattern.<Event>begin("low")
                        .where(SimpleCondition.of(event -> event.value < 300))
                        .followedBy("high")
                        .where(SimpleCondition.of(event -> event.value > 700))
                        .within(Duration.ofMillis(800));
        SingleOutputStreamOperator<Result> found =
                CEP.pattern(input.keyed(), pattern).process(new Matches(lanes), Types.POJO(Result.class));
        return new Heads.Output(found, List.of(found.getSideOutput(TIMED_OUT)));
    }

    private static final class Matches extends PatternProcessFunction<Event, Result>
            implements TimedOutPartialMatchHandler<Event> {
        private final Lanes lanes;

        Matches(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void processMatch(Map<String, List<Event>> match, Context context, Collector<Result> out) {
            Event low = match.get("low").get(0);
            Event high = match.get("high").get(0);
            // Which of several matches that end with one event comes first is open.
            out.collect(
                    lanes.ordered()
                            ? lanes.sequence("ends", low.key, 0, high.id)
                            : lanes.any("ends", low.key, 0, high.ts));
            out.collect(lanes.any("matches", low.key, 0, low.id));
        }

        @Override
        public void processTimedOutMatch(Map<String, List<Event>> match, Context context) {
            Event low = match.get("low").get(0);
            context.output(TIMED_OUT, lanes.any("timed-out", low.key, 0, low.id));
        }
    }

    private static final class Numbering extends RichMapFunction<Event, Result> {
        private final Lanes lanes;
        private transient ValueState<Long> number;

        Numbering(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            number = getRuntimeContext().getState(new ValueStateDescriptor<>("number", Types.LONG));
        }

        @Override
        public Result map(Event event) throws Exception {
            number.update(number.value() == null ? 1 : number.value() + 1);
            return lanes.ofEvent("elements", event, number.value(), "");
        }
    }

    private static final class NumberingTwice extends RichFlatMapFunction<Event, Result> {
        private final Lanes lanes;
        private transient ValueState<Long> number;

        NumberingTwice(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open(OpenContext context) {
            number = getRuntimeContext().getState(new ValueStateDescriptor<>("number", Types.LONG));
        }

        @Override
        public void flatMap(Event event, Collector<Result> out) throws Exception {
            number.update(number.value() == null ? 1 : number.value() + 1);
            out.collect(lanes.ofEvent("elements", event, number.value(), ""));
            out.collect(lanes.ofEvent("again", event, number.value(), ""));
        }
    }

    /** Each second event of a key. */
    private static final class EveryOther extends RichFilterFunction<Event> {
        private transient ValueState<Boolean> passes;

        @Override
        public void open(OpenContext context) {
            passes = getRuntimeContext().getState(new ValueStateDescriptor<>("passes", Types.BOOLEAN));
        }

        @Override
        public boolean filter(Event event) throws Exception {
            boolean now = passes.value() == null || passes.value();
            passes.update(!now);
            return now;
        }
    }
}
