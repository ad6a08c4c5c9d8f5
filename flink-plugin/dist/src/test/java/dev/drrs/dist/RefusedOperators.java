package dev.drrs.dist;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;

/** Keyed operators that hold something where a rescale does not look; all pass numbers on. */
final class RefusedOperators {

    private RefusedOperators() {}

    /** Event time behind it is later than before it. */
    static final class Delaying extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<Long, Long> {
        private static final long DELAY = 20_000;

        @Override
        public void processElement(StreamRecord<Long> number) {
            output.collect(number);
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            super.processWatermark(new Watermark(mark.getTimestamp() - DELAY));
        }
    }

    /** Says that it has state of its own form. */
    static final class WithRawState extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<Long, Long> {
        @Override
        public void processElement(StreamRecord<Long> number) {
            output.collect(number);
        }

        @Override
        protected boolean isUsingCustomRawKeyedState() {
            return true;
        }
    }

    /** As Flink's documentation has it. */
    static final class Buffering extends KeyedProcessFunction<Integer, Long, Long>
            implements CheckpointedFunction {
        private static final int BATCH = 10;

        private final List<Long> buffer = new ArrayList<>();
        private transient ListState<Long> stored;

        @Override
        public void processElement(Long number, Context context, Collector<Long> out) {
            buffer.add(number);
            if (buffer.size() == BATCH) {
                buffer.forEach(out::collect);
                buffer.clear();
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            stored.update(buffer);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            stored =
                    context.getOperatorStateStore()
                            .getListState(new ListStateDescriptor<>("buffer", Types.LONG));
            stored.get().forEach(buffer::add);
        }
    }

    static final class Call implements AsyncFunction<Long, Long> {
        @Override
        public void asyncInvoke(Long number, ResultFuture<Long> answer) {
            answer.complete(List.of(number));
        }
    }

    static final class Pass extends KeyedProcessFunction<Integer, Long, Long> {
        @Override
        public void processElement(Long number, Context context, Collector<Long> out) {
            out.collect(number);
        }
    }
}
