package dev.drrs.gateway;

import dev.drrs.nexmark.source.ScheduledEvent;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Numbers the bids of an auction, as lines {@code auction,number}. */
final class NumberBids extends KeyedProcessFunction<Long, ScheduledEvent, String> implements CheckpointedFunction {

    private final KeptNumbers kept;

    private transient ValueState<Long> number;

    /** @param kept takes the numbers of all lines; null: nothing does */
    NumberBids(KeptNumbers kept) {
        this.kept = kept;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        number =
                context.getKeyedStateStore()
                        .getState(new ValueStateDescriptor<>("number", Types.LONG));
        if (kept != null) {
            kept.initialize(context, getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
        }
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        if (kept != null) {
            kept.snapshot();
        }
    }

    @Override
    public void processElement(ScheduledEvent event, Context context, Collector<String> out) throws Exception {
        long next = (number.value() == null ? 0 : number.value()) + 1;
        number.update(next);
        String line = context.getCurrentKey() + "," + next;
        if (kept != null) {
            kept.add(line);
        }
        out.collect(line);
    }
}
