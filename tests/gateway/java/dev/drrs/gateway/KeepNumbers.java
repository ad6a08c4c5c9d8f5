package dev.drrs.gateway;

import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** Passes the lines of {@link NumberBids} on and keeps their numbers. */
final class KeepNumbers extends ProcessFunction<String, String> implements CheckpointedFunction {

    private final KeptNumbers kept;

    KeepNumbers(KeptNumbers kept) {
        this.kept = kept;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        kept.initialize(context, getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        kept.snapshot();
    }

    @Override
    public void processElement(String line, Context context, Collector<String> out) {
        kept.add(line);
        out.collect(line);
    }
}
