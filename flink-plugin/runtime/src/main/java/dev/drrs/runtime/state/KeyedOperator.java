package dev.drrs.runtime.state;

import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * An operator that extends one of Flink's two base classes, and where it keeps keyed state. For the
 * mailbox thread, once the operator is open.
 *
 * @param name in quotation marks, as sentences have it
 * @param backend null if the operator has no keyed state
 */
public record KeyedOperator(StreamOperator<?> operator, String name, KeyedStateBackend<?> backend) {

    public static KeyedOperator of(StreamOperator<?> operator) {
        return new KeyedOperator(operator, quoted(operator), backendOf(operator));
    }

    private static KeyedStateBackend<?> backendOf(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator<?> v1
                ? v1.getKeyedStateBackend()
                : ((AbstractStreamOperatorV2<?>) operator).getKeyedStateBackend();
    }

    /** The name of any operator, in quotation marks. */
    public static String quoted(StreamOperator<?> operator) {
        return "\"" + plainName(operator) + "\"";
    }

    static String plainName(StreamOperator<?> operator) {
        StreamConfig config =
                operator instanceof AbstractStreamOperator<?> v1
                        ? v1.getOperatorConfig()
                        : operator instanceof AbstractStreamOperatorV2<?> v2
                                ? v2.getOperatorConfig()
                                : null;
        String name = config == null ? null : config.getOperatorName();
        return name == null ? operator.getClass().getSimpleName() : name;
    }
}
