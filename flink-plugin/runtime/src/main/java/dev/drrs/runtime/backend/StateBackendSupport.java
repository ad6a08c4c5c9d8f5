package dev.drrs.runtime.backend;

import dev.drrs.runtime.state.KeyedOperator;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.ScratchState;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyedStateBackend;

/**
 * One kind of keyed state backend whose key groups can be moved between running subtasks. Has no
 * state of its own. {@link #type} and {@link #handles} are for any thread, the rest is for the
 * mailbox thread of the operator concerned, once it is open.
 *
 * <p>{@link StateBackends} lists all kinds.
 */
public interface StateBackendSupport {

    /** Its name in {@code state.backend.type}. */
    String type();

    boolean isOf(KeyedStateBackend<?> backend);

    /**
     * Why state or timers of this operator cannot be moved, as one sentence that names it, or
     * empty.
     *
     * @param keyed its backend is {@linkplain #isOf of this kind}
     */
    Optional<String> unsupported(KeyedOperator keyed);

    /**
     * The state of an operator that {@link #unsupported} has nothing against. Nothing is changed by
     * the call.
     *
     * @param chunkBytes largest size of a chunk in bytes
     * @throws IllegalArgumentException if the chunks are too small
     */
    MovableState movable(KeyedOperator keyed, int chunkBytes);

    /**
     * State of no operator, for a rehearsal of its moving; empty if this kind is not rehearsed. Any
     * thread.
     *
     * @param chunkBytes as for {@link #movable}
     * @throws Exception if Flink cannot make it
     */
    default Optional<ScratchState> scratch(int chunkBytes) throws Exception {
        return Optional.empty();
    }

    /** What its snapshots leave in a checkpoint. */
    KeyedHandles handles();
}
