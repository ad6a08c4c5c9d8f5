package dev.drrs.nexmark.query;

import dev.drrs.nexmark.sink.Result;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** A row for each time that the record attributes of its input change. */
final class SeenAttributes<T> extends AbstractStreamOperator<Result>
        implements OneInputStreamOperator<T, Result> {

    private long changes;

    @Override
    public void processElement(StreamRecord<T> record) {}

    @Override
    public void processRecordAttributes(RecordAttributes attributes) throws Exception {
        long subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        String json =
                Json.of("fan-attributes")
                        .put("subtask", subtask)
                        .put("n", ++changes)
                        .put("backlog", attributes.isBacklog() ? 1 : 0)
                        .end();
        output.collect(
                new StreamRecord<>(new Result(json, Long.toString(subtask), Result.NO_LATENCY, 0)));
        super.processRecordAttributes(attributes);
    }
}
