package dev.drrs.runtime.state;

import dev.drrs.flink.TimerAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Says whether the keyed state of a running task can be moved. For the mailbox thread, after the
 * operators are open.
 */
public final class StateSupport {

    /** Where the state of a keyed operator is. */
    record Parts(HeapKeyedStateBackend<?> backend, InternalTimeServiceManagerImpl<?> timers) {}

    private StateSupport() {}

    /**
     * Why the keyed state of this operator chain cannot be moved, as one sentence, or empty.
     *
     * @param chain all operators of the task
     */
    public static Optional<String> unsupported(Iterable<? extends StreamOperator<?>> chain) {
        List<StreamOperator<?>> keyed = new ArrayList<>();
        for (StreamOperator<?> operator : chain) {
            Optional<String> fault = unreachable(operator);
            if (fault.isPresent()) {
                return fault;
            }
            if (backendOf(operator) != null) {
                keyed.add(operator);
            }
        }
        if (keyed.isEmpty()) {
            return Optional.of(
                    "No operator of the task has keyed state, so there is nothing to move.");
        }
        if (keyed.size() > 1) {
            return Optional.of(
                    "The operators "
                            + nameOf(keyed.get(0))
                            + " and "
                            + nameOf(keyed.get(1))
                            + " are both keyed and run in one task; start a new chain before the second one.");
        }
        return unsupported(keyed.get(0));
    }

    /** As {@link #unsupported(Iterable)}, for the keyed operator of a task. */
    public static Optional<String> unsupported(StreamOperator<?> operator) {
        Optional<String> fault = unreachable(operator);
        if (fault.isPresent()) {
            return fault;
        }
        String name = nameOf(operator);
        KeyedStateBackend<?> backend = backendOf(operator);
        if (backend == null) {
            return Optional.of("The operator " + name + " has no keyed state.");
        }
        if (!(backend instanceof HeapKeyedStateBackend)) {
            return Optional.of(
                    "The operator "
                            + name
                            + " keeps its keyed state in a "
                            + backend.getClass().getSimpleName()
                            + "; only the hashmap state backend without changelog is supported.");
        }
        if (TimerAccess.hasInterruptibleTimers(operator)) {
            return Optional.of(
                    "The operator "
                            + name
                            + " uses interruptible timers; set"
                            + " execution.checkpointing.unaligned.interruptible-timers.enabled to false.");
        }
        InternalTimeServiceManager<?> timers = TimerAccess.timeServiceManager(operator);
        if (!(timers instanceof InternalTimeServiceManagerImpl<?> known)) {
            return Optional.of(
                    "The operator "
                            + name
                            + " keeps its timers in a "
                            + (timers == null
                                    ? "place that is not known"
                                    : timers.getClass().getSimpleName())
                            + "; only streaming execution is supported.");
        }
        for (InternalTimerServiceImpl<?, ?> service : TimerAccess.timerServices(known).values()) {
            if (service.getClass() != InternalTimerServiceImpl.class) {
                return Optional.of(
                        "The operator "
                                + name
                                + " has timers in a "
                                + service.getClass().getSimpleName()
                                + ", which is not supported.");
            }
        }
        return Optional.empty();
    }

    static Parts partsOf(StreamOperator<?> operator) {
        Optional<String> fault = unsupported(operator);
        if (fault.isPresent()) {
            throw new IllegalArgumentException(fault.get());
        }
        return new Parts(
                (HeapKeyedStateBackend<?>) backendOf(operator),
                (InternalTimeServiceManagerImpl<?>) TimerAccess.timeServiceManager(operator));
    }

    /** What keeps one from even looking for keyed state. */
    private static Optional<String> unreachable(StreamOperator<?> operator) {
        boolean async;
        if (operator instanceof AbstractStreamOperator<?> v1) {
            async = v1.isAsyncKeyOrderedProcessingEnabled();
        } else if (operator instanceof AbstractStreamOperatorV2<?> v2) {
            async = v2.isAsyncKeyOrderedProcessingEnabled();
        } else {
            return Optional.of(
                    "The operator class "
                            + operator.getClass().getName()
                            + " extends neither AbstractStreamOperator nor AbstractStreamOperatorV2, so its state"
                            + " cannot be reached.");
        }
        return async
                ? Optional.of(
                        "The operator "
                                + nameOf(operator)
                                + " uses asynchronous state, which is not supported; use the synchronous state API.")
                : Optional.empty();
    }

    private static KeyedStateBackend<?> backendOf(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator<?> v1
                ? v1.getKeyedStateBackend()
                : ((AbstractStreamOperatorV2<?>) operator).getKeyedStateBackend();
    }

    private static String nameOf(StreamOperator<?> operator) {
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
