package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractInput;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** As {@link CountFunction}, over several keyed inputs. */
@SuppressWarnings({"rawtypes", "unchecked"}) // Flink's own signatures are raw
final class ManyInputsOperator extends AbstractStreamOperatorV2<Result>
        implements MultipleInputStreamOperator<Result> {

    private final List<Input> inputs;
    private ValueState<Tuple2<Long, Long>> countAndSum;

    private ManyInputsOperator(StreamOperatorParameters<Result> parameters, int inputs) {
        super(parameters, inputs);
        this.inputs =
                IntStream.rangeClosed(1, inputs).mapToObj(id -> (Input) new Bids(id)).toList();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        countAndSum =
                context.getKeyedStateStore()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "count", Types.TUPLE(Types.LONG, Types.LONG)));
    }

    @Override
    public List<Input> getInputs() {
        return inputs;
    }

    private final class Bids extends AbstractInput<ScheduledEvent, Result> {
        Bids(int id) {
            super(ManyInputsOperator.this, id);
        }

        @Override
        public void processElement(StreamRecord<ScheduledEvent> element) throws Exception {
            ScheduledEvent event = element.getValue();
            long key = (Long) getCurrentKey();
            Tuple2<Long, Long> before = countAndSum.value();
            long n = (before == null ? 0 : before.f0) + 1;
            long sum = (before == null ? 0 : before.f1) + event.bid().price();
            countAndSum.update(Tuple2.of(n, sum));
            String json = Json.of("many").put("key", key).put("n", n).put("sum", sum).end();
            output.collect(
                    element.replace(new Result(json, Long.toString(key), event.scheduleMs(), n)));
        }
    }

    /** Makes the operator. */
    static final class Factory extends AbstractStreamOperatorFactory<Result> {
        private final int inputs;

        Factory(int inputs) {
            this.inputs = inputs;
        }

        @Override
        public <T extends StreamOperator<Result>> T createStreamOperator(
                StreamOperatorParameters<Result> parameters) {
            return (T) new ManyInputsOperator(parameters, inputs);
        }

        @Override
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return ManyInputsOperator.class;
        }
    }
}
