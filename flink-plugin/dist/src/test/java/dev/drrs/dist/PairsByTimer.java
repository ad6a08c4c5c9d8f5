package dev.drrs.dist;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Numbers come in pairs of one key with a watermark after each pair. What has come of a key is put
 * together by a timer at the present event time, which fires with the next watermark.
 */
final class PairsByTimer extends KeyedProcessFunction<Long, Long, String> {

    private static final int KEYS = 100;

    private transient ListState<Long> came;

    /** The operator is named "operator". */
    static DataStream<String> of(StreamExecutionEnvironment env, long pairs, long perSecond) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                number -> number,
                                2 * pairs,
                                TimedNumbers.heldAfter(pairs, perSecond),
                                Types.LONG),
                        WatermarkStrategy.<Long>forGenerator(context -> new AfterEachPair())
                                .withTimestampAssigner((number, unused) -> number),
                        "numbers")
                .setParallelism(1)
                .keyBy(number -> number / 2 % KEYS, Types.LONG)
                .process(new PairsByTimer())
                .name("operator")
                .uid("operator");
    }

    static String expected(long pair) {
        return "[" + 2 * pair + ", " + (2 * pair + 1) + "]";
    }

    private static final class AfterEachPair implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long number, long time, WatermarkOutput output) {
            if (number % 2 == 1) {
                output.emitWatermark(new Watermark(time));
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    @Override
    public void open(OpenContext context) {
        came = getRuntimeContext().getListState(new ListStateDescriptor<>("came", Types.LONG));
    }

    @Override
    public void processElement(Long number, Context context, Collector<String> out)
            throws Exception {
        came.add(number);
        context.timerService().registerEventTimeTimer(context.timerService().currentWatermark());
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<String> out) throws Exception {
        out.collect(came.get().toString());
        came.clear();
    }
}
