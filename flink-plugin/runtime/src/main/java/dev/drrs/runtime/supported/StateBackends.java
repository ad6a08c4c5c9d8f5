package dev.drrs.runtime.supported;

import dev.drrs.runtime.backend.KeyedHandles;
import dev.drrs.runtime.backend.StateBackendSupport;
import dev.drrs.runtime.heap.HeapBackend;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * The kinds of keyed state backends whose key groups can be moved. Tasks and JobManager both ask
 * here, and speak to no kind but by its interface. Immutable, for any thread.
 */
public final class StateBackends {

    /** All there are: the only place that names them. */
    public static final StateBackends ALL = new StateBackends(List.of(new HeapBackend()));

    private final List<StateBackendSupport> kinds;

    public StateBackends(List<StateBackendSupport> kinds) {
        this.kinds = List.copyOf(kinds);
    }

    public List<StateBackendSupport> kinds() {
        return kinds;
    }

    /** The kind of a running operator's backend. */
    Optional<StateBackendSupport> of(KeyedStateBackend<?> backend) {
        return kinds.stream().filter(kind -> kind.isOf(backend)).findFirst();
    }

    /**
     * @param type as in {@code state.backend.type}
     */
    public boolean has(String type) {
        return kinds.stream().anyMatch(kind -> kind.type().equals(type));
    }

    /** Their types, as a sentence has them after "the". */
    public String types() {
        return kinds.stream()
                .map(StateBackendSupport::type)
                .collect(Collectors.joining(" or the "));
    }

    /** As {@link KeyedHandles#isDivisible}, for handles of any kind. */
    public boolean isDivisible(KeyedStateHandle handle) {
        return kinds.stream().anyMatch(kind -> kind.handles().isDivisible(handle));
    }

    /** As {@link KeyedHandles#join}, for handles of any kind. */
    public List<KeyedStateHandle> join(List<KeyedStateHandle> handles) {
        List<KeyedStateHandle> joined = handles;
        for (StateBackendSupport kind : kinds) {
            joined = kind.handles().join(joined);
        }
        return joined;
    }
}
