package dev.drrs.runtime.role;

import dev.drrs.flink.OperatorAccess;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * Writes out what the operators of a task hold back, in the order of the chain, as before the
 * barrier of a checkpoint. But there is none: a sink's writer is flushed without asking it for
 * committables, and asynchronous requests, which a checkpoint would keep, are waited for.
 *
 * <p>May take as long as an external system needs to answer. Mailbox thread only.
 */
final class ChainFlush {

    /** What operators are told where Flink gives the id of a checkpoint. */
    private static final long NO_CHECKPOINT = -1;

    private ChainFlush() {}

    static void of(StreamTask<?, ?> task) throws Exception {
        for (StreamOperator<?> operator : HeadOperator.chain(task)) {
            flush(operator);
        }
    }

    private static void flush(StreamOperator<?> operator) throws Exception {
        if (OperatorAccess.isSinkWriter(operator)) {
            SinkWriter<?> writer = OperatorAccess.openWriter(operator);
            if (writer != null) {
                writer.flush(false);
            }
        } else if (operator instanceof AsyncWaitOperator<?, ?> async) {
            OperatorAccess.awaitRequests(async);
        } else {
            operator.prepareSnapshotPreBarrier(NO_CHECKPOINT);
        }
    }
}
