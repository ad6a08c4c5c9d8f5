package dev.drrs.runtime.state.sorted;

import dev.drrs.runtime.backend.KeyedHandles;
import dev.drrs.runtime.backend.StateBackendSupport;
import dev.drrs.runtime.state.KeyedOperator;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.SubscaleTimers;
import dev.drrs.runtime.state.TimerServices;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.StateHandleID;

/**
 * A second kind of backend, added as the interface wants it: a number for each key, in sorted maps,
 * beside timers that Flink keeps. All that it took is in this package, but for its line in the list
 * of backends, which the test has for itself.
 */
final class SortedBackend implements StateBackendSupport {

    /** Stands for the backend's class in Flink. */
    interface Numbers extends KeyedStateBackend<Integer> {

        KeyGroupRange range();

        /** By key group and key; both are there only with a number. */
        NavigableMap<Integer, NavigableMap<Integer, Long>> byKeyGroup();

        boolean frozen();

        /** What a join point calls around a snapshot, or null. */
        void hook(SubscaleTimers timers);
    }

    /** Stands for files of which no part can be taken, as those of an incremental checkpoint. */
    record Handle(StateHandleID getStateHandleId, KeyGroupRange getKeyGroupRange)
            implements KeyedStateHandle {

        @Override
        public KeyedStateHandle getIntersection(KeyGroupRange range) {
            return getKeyGroupRange.getIntersection(range).getNumberOfKeyGroups() == 0
                    ? null
                    : this;
        }

        @Override
        public void registerSharedStates(SharedStateRegistry registry, long checkpoint) {}

        @Override
        public long getCheckpointedSize() {
            return 0;
        }

        @Override
        public void discardState() {}

        @Override
        public long getStateSize() {
            return 0;
        }
    }

    @Override
    public String type() {
        return "sorted";
    }

    @Override
    public boolean isOf(KeyedStateBackend<?> backend) {
        return backend instanceof Numbers;
    }

    @Override
    public Optional<String> unsupported(KeyedOperator keyed) {
        return ((Numbers) keyed.backend()).frozen()
                ? Optional.of("The operator " + keyed.name() + " has frozen numbers; thaw them.")
                : TimerServices.unsupported(keyed);
    }

    @Override
    public MovableState movable(KeyedOperator keyed, int chunkBytes) {
        return new SortedState((Numbers) keyed.backend(), TimerServices.manager(keyed));
    }

    @Override
    public KeyedHandles handles() {
        return new Handles();
    }

    /** Whoever is to have parts of a handle is given all of it, once. */
    private static final class Handles implements KeyedHandles {

        @Override
        public boolean isDivisible(KeyedStateHandle handle) {
            return false;
        }

        @Override
        public List<KeyedStateHandle> join(List<KeyedStateHandle> handles) {
            Set<KeyedStateHandle> given = new HashSet<>();
            List<KeyedStateHandle> joined = new ArrayList<>();
            for (KeyedStateHandle handle : handles) {
                if (!(handle instanceof Handle) || given.add(handle)) {
                    joined.add(handle);
                }
            }
            return joined;
        }
    }
}
