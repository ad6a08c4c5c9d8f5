package dev.drrs.runtime.supported;

import dev.drrs.runtime.backend.StateBackendSupport;
import dev.drrs.runtime.state.KeyedOperator;
import dev.drrs.runtime.state.MovableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Says whether the keyed state of a running task can be moved, and gives it out if so. For the
 * mailbox thread, after the operators are open.
 */
public final class StateSupport {

    private final StateBackends backends;

    public StateSupport(StateBackends backends) {
        this.backends = backends;
    }

    /**
     * Why the keyed state of this operator chain cannot be moved, as one sentence, or empty.
     *
     * @param chain all operators of the task
     */
    public Optional<String> unsupported(Iterable<? extends StreamOperator<?>> chain) {
        List<KeyedOperator> keyed = new ArrayList<>();
        for (StreamOperator<?> operator : chain) {
            Optional<String> fault = unreachable(operator);
            if (fault.isPresent()) {
                return fault;
            }
            KeyedOperator one = KeyedOperator.of(operator);
            if (one.backend() != null) {
                keyed.add(one);
            }
        }
        if (keyed.isEmpty()) {
            return Optional.of(
                    "No operator of the task has keyed state, so there is nothing to move.");
        }
        if (keyed.size() > 1) {
            return Optional.of(
                    "The operators "
                            + keyed.get(0).name()
                            + " and "
                            + keyed.get(1).name()
                            + " are both keyed and run in one task; start a new chain before the second one.");
        }
        return unsupported(keyed.get(0));
    }

    /** As {@link #unsupported(Iterable)}, for the keyed operator of a task. */
    public Optional<String> unsupported(StreamOperator<?> operator) {
        return unreachable(operator).or(() -> unsupported(KeyedOperator.of(operator)));
    }

    private Optional<String> unsupported(KeyedOperator keyed) {
        if (keyed.backend() == null) {
            return Optional.of("The operator " + keyed.name() + " has no keyed state.");
        }
        Optional<StateBackendSupport> kind = backends.of(keyed.backend());
        return kind.isPresent()
                ? kind.get().unsupported(keyed)
                : Optional.of(
                        "The operator "
                                + keyed.name()
                                + " keeps its keyed state in a "
                                + keyed.backend().getClass().getSimpleName()
                                + "; only the "
                                + backends.types()
                                + " state backend without changelog is supported.");
    }

    /**
     * The state of an operator that {@link #unsupported(StreamOperator)} has nothing against.
     *
     * @param chunkBytes largest size of a chunk in bytes
     * @throws IllegalArgumentException if it has, or the chunks are too small
     */
    public MovableState movable(StreamOperator<?> operator, int chunkBytes) {
        check(operator);
        KeyedOperator keyed = KeyedOperator.of(operator);
        return backends.of(keyed.backend()).orElseThrow().movable(keyed, chunkBytes);
    }

    /**
     * Whether it can be moved still: an operator may ask for other timers at any time.
     *
     * @throws IllegalArgumentException if not
     */
    public void check(StreamOperator<?> operator) {
        unsupported(operator)
                .ifPresent(
                        fault -> {
                            throw new IllegalArgumentException(fault);
                        });
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
                                + KeyedOperator.quoted(operator)
                                + " uses asynchronous state, which is not supported; use the synchronous state API.")
                : Optional.empty();
    }
}
