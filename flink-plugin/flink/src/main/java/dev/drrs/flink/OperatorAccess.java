package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Map;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.runtime.state.DefaultOperatorStateBackend;
import org.apache.flink.runtime.state.PartitionableListState;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.util.ExceptionUtils;

/** What is inside of operators. Mailbox thread. */
public final class OperatorAccess {

    private static final MethodHandle SET_FUNCTION = Handles.setter(OperatorMembers.USER_FUNCTION);
    private static final MethodHandle AWAIT_REQUESTS =
            Handles.method(OperatorMembers.AWAIT_REQUESTS);
    private static final Class<?> SINK = Handles.owner(OperatorMembers.SINK_WRITER);
    private static final VarHandle WRITER = Handles.field(OperatorMembers.SINK_WRITER);
    private static final VarHandle WRITER_ENDED = Handles.field(OperatorMembers.SINK_ENDED);
    private static final VarHandle LISTS = Handles.field(StateMembers.OPERATOR_STATES);

    private OperatorAccess() {}

    /** Puts another function into the operator. */
    public static void setFunction(AbstractUdfStreamOperator<?, ?> operator, Function function) {
        try {
            SET_FUNCTION.invoke(operator, function);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    /** Returns when no asynchronous request is in flight. */
    public static void awaitRequests(AsyncWaitOperator<?, ?> operator) throws Exception {
        try {
            AWAIT_REQUESTS.invoke(operator);
        } catch (Throwable t) {
            ExceptionUtils.rethrowException(t);
        }
    }

    /** Whether the operator is the writer of a sink, of a class that is not public. */
    public static boolean isSinkWriter(StreamOperator<?> operator) {
        return SINK.isInstance(operator);
    }

    /**
     * @return null if the writer was told that nothing more comes
     */
    public static SinkWriter<?> openWriter(StreamOperator<?> sink) {
        return (boolean) WRITER_ENDED.get(sink) ? null : (SinkWriter<?>) WRITER.get(sink);
    }

    /** The list states that are registered, by name. */
    @SuppressWarnings("unchecked")
    public static Map<String, PartitionableListState<?>> lists(
            DefaultOperatorStateBackend backend) {
        return (Map<String, PartitionableListState<?>>) LISTS.get(backend);
    }
}
