package dev.drrs.runtime.rescale;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
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
final class OperatorOutput {

    private static final Access V1 = Access.of(AbstractStreamOperator.class);
    private static final Access V2 = Access.of(AbstractStreamOperatorV2.class);

    private record Access(MethodHandle getter, MethodHandle setter) {
        static Access of(Class<?> owner) {
            try {
                // The only way to a handle that writes a final instance field.
                Field field = owner.getDeclaredField("output");
                field.setAccessible(true);
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                return new Access(lookup.unreflectGetter(field), lookup.unreflectSetter(field));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    private OperatorOutput() {}

    /** Whether the operator extends one of Flink's base classes. */
    static boolean isReachable(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator
                || operator instanceof AbstractStreamOperatorV2;
    }

    @SuppressWarnings("unchecked")
    static Output<StreamRecord<Object>> get(StreamOperator<Object> operator) {
        try {
            return (Output<StreamRecord<Object>>) of(operator).getter.invoke(operator);
        } catch (Throwable t) {
            ExceptionUtils.rethrow(t);
            throw new AssertionError(t);
        }
    }

    static void set(StreamOperator<Object> operator, Output<StreamRecord<Object>> output) {
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
