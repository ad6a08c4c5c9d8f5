package dev.drrs.gateway.shapes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Keyed operators behind a head, behind an exchange: they read results. */
final class SecondHeads {

    private SecondHeads() {}

    static SingleOutputStreamOperator<Result> of(
            String name, DataStream<Result> results, KeyKind kind, Lanes lanes) {
        return switch (name) {
            case "same-key" -> results.keyBy(kind.ofResults(), kind.type()).process(new Counting());
            case "other-key" -> results.keyBy(result -> result.key % 5, Types.LONG).process(new Numbering(lanes));
            case "window" ->
                    results.keyBy(kind.ofResults(), kind.type())
                            .window(TumblingEventTimeWindows.of(Duration.ofMillis(1_000)))
                            .process(new Window(lanes));
            default -> throw new IllegalArgumentException("no second head " + name);
        };
    }

    /** Results of one key in one order keep it: each gets its number in its lane. */
    private static final class Counting extends KeyedProcessFunction<Object, Result, Result> {
        private transient MapState<String, Long> numbers;

        @Override
        public void open(OpenContext context) {
            numbers = getRuntimeContext().getMapState(new MapStateDescriptor<>("numbers", Types.STRING, Types.LONG));
        }

        @Override
        public void processElement(Result result, Context context, Collector<Result> out) throws Exception {
            long number = numbers.contains(result.lane) ? numbers.get(result.lane) + 1 : 1;
            numbers.put(result.lane, number);
            Result copy = result.copy();
            if (result.judged() == 's') {
                copy.text += "#" + number;
            }
            out.collect(copy);
        }
    }

    /** Numbers results of several keys, which come in any order. */
    private static final class Numbering extends KeyedProcessFunction<Long, Result, Result> {
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
        public void processElement(Result result, Context context, Collector<Result> out) throws Exception {
            out.collect(result);
            if ("snm".indexOf(result.judged()) >= 0) {
                number.update(number.value() == null ? 1 : number.value() + 1);
                String text = result.lane + ":" + result.key + ":" + result.text;
                out.collect(lanes.numbered("second", context.getCurrentKey(), number.value(), text));
            }
        }
    }

    /** All results of a second of event time: none of them is late. */
    private static final class Window extends ProcessWindowFunction<Result, Result, Object, TimeWindow> {
        private final Lanes lanes;

        Window(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void process(Object key, Context context, Iterable<Result> results, Collector<Result> out) {
            List<String> texts =
                    new ArrayList<>(
                            StreamSupport.stream(results.spliterator(), false)
                                    .filter(one -> "snm".indexOf(one.judged()) >= 0)
                                    .map(one -> one.lane + one.text)
                                    .toList());
            texts.sort(null);
            out.collect(
                    lanes.sequence(
                            "seconds",
                            KeyKind.id(key),
                            texts.size(),
                            context.window().getEnd() + ":" + Integer.toHexString(texts.hashCode())));
        }
    }
}
