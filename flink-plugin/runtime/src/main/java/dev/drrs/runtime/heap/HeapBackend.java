package dev.drrs.runtime.heap;

import dev.drrs.runtime.backend.KeyedHandles;
import dev.drrs.runtime.backend.StateBackendSupport;
import dev.drrs.runtime.state.KeyedOperator;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.ScratchState;
import dev.drrs.runtime.state.TimerServices;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;

/** The hashmap state backend, whose timers are in the backend as well. */
public final class HeapBackend implements StateBackendSupport {

    @Override
    public String type() {
        return "hashmap";
    }

    @Override
    public boolean isOf(KeyedStateBackend<?> backend) {
        return backend instanceof HeapKeyedStateBackend;
    }

    @Override
    public Optional<String> unsupported(KeyedOperator keyed) {
        return TimerServices.unsupported(keyed);
    }

    @Override
    public MovableState movable(KeyedOperator keyed, int chunkBytes) {
        return new HeapMovableState(
                (HeapKeyedStateBackend<?>) keyed.backend(),
                TimerServices.manager(keyed),
                chunkBytes);
    }

    @Override
    public Optional<ScratchState> scratch(int chunkBytes) throws Exception {
        return Optional.of(new HeapScratch(chunkBytes));
    }

    @Override
    public KeyedHandles handles() {
        return new HeapHandles();
    }
}
