package dev.drrs.dist;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractInput;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * A keyed operator with any number of inputs: counts for each, per key and event time, as {@link
 * MetByTime} does for two.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // Flink's own signatures are raw
final class ManyInputs extends AbstractStreamOperatorV2<String>
        implements MultipleInputStreamOperator<String>, Triggerable<Integer, Long> {

    private final List<Input> inputs;

    /** By input and event time. */
    private MapState<Tuple2<Integer, Long>, Integer> met;

    private InternalTimerService<Long> timers;

    private ManyInputs(StreamOperatorParameters<String> parameters, int inputs) {
        super(parameters, inputs);
        this.inputs =
                IntStream.range(0, inputs).mapToObj(input -> (Input) new Counting(input)).toList();
    }

    /** The result at a time when so many of each input have met. */
    static String expected(Object key, long time, Integer... each) {
        return key + "@" + time + ": " + List.of(each);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        met =
                context.getKeyedStateStore()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "met", Types.TUPLE(Types.INT, Types.LONG), Types.INT));
    }

    @Override
    public void open() throws Exception {
        super.open();
        timers = getInternalTimerService("timers", LongSerializer.INSTANCE, this);
    }

    @Override
    public List<Input> getInputs() {
        return inputs;
    }

    @Override
    public void onEventTime(InternalTimer<Integer, Long> timer) throws Exception {
        long time = timer.getTimestamp();
        Integer[] each = new Integer[inputs.size()];
        for (int input = 0; input < each.length; input++) {
            Integer count = met.get(Tuple2.of(input, time));
            each[input] = count == null ? 0 : count;
            met.remove(Tuple2.of(input, time));
        }
        output.collect(new StreamRecord<>(expected(timer.getKey(), time, each), time));
    }

    @Override
    public void onProcessingTime(InternalTimer<Integer, Long> timer) {
        throw new IllegalStateException("no such timer was set");
    }

    private final class Counting extends AbstractInput<Tuple2<Long, Long>, String> {
        private final int input;

        Counting(int input) {
            super(ManyInputs.this, input + 1);
            this.input = input;
        }

        @Override
        public void processElement(StreamRecord<Tuple2<Long, Long>> record) throws Exception {
            SeveralInputs.failIfAsked();
            long time = record.getValue().f1;
            if (time <= timers.currentWatermark()) {
                throw new IllegalStateException(
                        record + " is late, event time is " + timers.currentWatermark());
            }
            Integer before = met.get(Tuple2.of(input, time));
            met.put(Tuple2.of(input, time), before == null ? 1 : before + 1);
            timers.registerEventTimeTimer(time, time);
        }
    }

    /** Makes the operator. */
    static final class Factory extends AbstractStreamOperatorFactory<String> {
        private final int inputs;

        Factory(int inputs) {
            this.inputs = inputs;
        }

        @Override
        public <T extends StreamOperator<String>> T createStreamOperator(
                StreamOperatorParameters<String> parameters) {
            return (T) new ManyInputs(parameters, inputs);
        }

        @Override
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return ManyInputs.class;
        }
    }
}
