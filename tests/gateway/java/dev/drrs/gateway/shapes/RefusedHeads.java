package dev.drrs.gateway.shapes;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;

/** Keyed operators that are not rescaled: the job has to run as ever. */
final class RefusedHeads {

    private RefusedHeads() {}

    static Heads.Output of(String head, Heads.Input input, Lanes lanes) {
        return switch (head) {
            case "process-function" -> Heads.Output.of(input.keyed().process(new Plain(lanes)));
            case "async-head" ->
                    Heads.Output.of(
                            AsyncDataStream.orderedWait(input.keyed(), new Asked(lanes), 60, TimeUnit.SECONDS, 10));
            case "async-state" ->
                    Heads.Output.of(
                            input.named(input.keyed().enableAsyncState().reduce((a, b) -> b.after(a)))
                                    .map(sum -> lanes.ofEvent("elements", sum, sum.count, sum.value))
                                    .returns(Result.class)
                                    .uid(input.uid() + "-results"));
            case "own-operator" ->
                    Heads.Output.of(
                            input.keyed().transform("own", Types.POJO(Result.class), new OwnOperator(lanes)));
            case "checkpointed-head" -> Heads.Output.of(input.keyed().process(new Checkpointed(lanes)));
            case "two-in-a-chain" ->
                    Heads.Output.of(
                            DataStreamUtils.reinterpretAsKeyedStream(
                                            input.named(input.keyed().filter(event -> true)),
                                            input.kind().ofEvents(),
                                            input.kind().type())
                                    .process(new Numbering(lanes))
                                    .uid(input.uid() + "-results"));
            default -> null;
        };
    }

    private static final class Plain extends ProcessFunction<Event, Result> {
        private final Lanes lanes;

        Plain(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            ValueState<Long> number =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("number", Types.LONG));
            number.update(number.value() == null ? 1 : number.value() + 1);
            out.collect(lanes.ofEvent("elements", event, number.value(), ""));
        }
    }

    private record Asked(Lanes lanes) implements AsyncFunction<Event, Result> {
        @Override
        public void asyncInvoke(Event event, ResultFuture<Result> future) {
            future.complete(List.of(lanes.sequence("elements", event.key, 0, event.id)));
        }
    }

    /** An operator that nobody vouches for. */
    static final class OwnOperator extends AbstractStreamOperator<Result>
            implements OneInputStreamOperator<Event, Result> {
        private final Lanes lanes;
        private transient ValueState<Long> number;

        OwnOperator(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void open() throws Exception {
            super.open();
            number =
                    getPartitionedState(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            new ValueStateDescriptor<>("number", Types.LONG));
        }

        @Override
        public void processElement(StreamRecord<Event> element) throws Exception {
            number.update(number.value() == null ? 1 : number.value() + 1);
            output.collect(element.replace(lanes.ofEvent("elements", element.getValue(), number.value(), "")));
        }
    }

    private static class Numbering extends KeyedProcessFunction<Object, Event, Result> {
        private final Lanes lanes;

        Numbering(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void processElement(Event event, Context context, Collector<Result> out) throws Exception {
            ValueState<Long> number =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("number", Types.LONG));
            number.update(number.value() == null ? 1 : number.value() + 1);
            out.collect(lanes.ofEvent("elements", event, number.value(), ""));
        }
    }

    /** A function of a keyed operator that takes part in checkpoints. */
    private static final class Checkpointed extends Numbering implements CheckpointedFunction {
        Checkpointed(Lanes lanes) {
            super(lanes);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {}

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}
    }

    /** A function behind a head that takes part in checkpoints. */
    static final class InCheckpoints implements MapFunction<Result, Result>, CheckpointedFunction {
        private transient ListState<Long> count;
        private transient long seen;

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            count = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            count.update(List.of(seen));
        }

        @Override
        public Result map(Result result) {
            seen++;
            return result;
        }
    }
}
