package dev.drrs.runtime.rescale;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.util.ExceptionUtils;

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

    /** Not public. */
    private static final Class<?> SINK;

    private static final VarHandle WRITER;
    private static final VarHandle WRITER_ENDED;
    private static final MethodHandle AWAIT_REQUESTS;

    static {
        try {
            SINK =
                    Class.forName(
                            "org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperator");
            WRITER = in(SINK).findVarHandle(SINK, "sinkWriter", SinkWriter.class);
            WRITER_ENDED = in(SINK).findVarHandle(SINK, "endOfInput", boolean.class);
            AWAIT_REQUESTS =
                    in(AsyncWaitOperator.class)
                            .findVirtual(
                                    AsyncWaitOperator.class,
                                    "waitInFlightInputsFinished",
                                    MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static MethodHandles.Lookup in(Class<?> type) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    }

    private ChainFlush() {}

    static void of(StreamTask<?, ?> task) throws Exception {
        for (StreamOperator<?> operator : HeadOperator.chain(task)) {
            flush(operator);
        }
    }

    private static void flush(StreamOperator<?> operator) throws Exception {
        if (SINK.isInstance(operator)) {
            if (!(boolean) WRITER_ENDED.get(operator)) {
                ((SinkWriter<?>) WRITER.get(operator)).flush(false);
            }
        } else if (operator instanceof AsyncWaitOperator<?, ?> async) {
            try {
                AWAIT_REQUESTS.invoke(async);
            } catch (Throwable t) {
                ExceptionUtils.rethrowException(t);
            }
        } else {
            operator.prepareSnapshotPreBarrier(NO_CHECKPOINT);
        }
    }
}
