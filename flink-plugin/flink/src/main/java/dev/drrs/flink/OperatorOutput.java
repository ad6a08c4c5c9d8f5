package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.ExceptionUtils;

/**
 * Where an operator sends its results and its event time: the same field in both base classes of
 * Flink, final in the one for operators with many inputs. The inputs of those have copies of their
 * own for results; event time goes by this one. Mailbox thread only.
 */
public final class OperatorOutput {

    private static final Access V1 = Access.of(OperatorMembers.OUTPUT);
    private static final Access V2 = Access.of(OperatorMembers.OUTPUT_V2);

    private record Access(VarHandle field, MethodHandle setter) {
        static Access of(Member output) {
            return new Access(Handles.field(output), Handles.setter(output));
        }
    }

    private OperatorOutput() {}

    /** Whether the operator extends one of Flink's base classes. */
    public static boolean isReachable(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator
                || operator instanceof AbstractStreamOperatorV2;
    }

    @SuppressWarnings("unchecked")
    public static Output<StreamRecord<Object>> get(StreamOperator<Object> operator) {
        return (Output<StreamRecord<Object>>) of(operator).field.get(operator);
    }

    public static void set(StreamOperator<Object> operator, Output<StreamRecord<Object>> output) {
        try {
            of(operator).setter.invoke(operator, output);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
        }
    }

    private static Access of(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator ? V1 : V2;
    }
}
