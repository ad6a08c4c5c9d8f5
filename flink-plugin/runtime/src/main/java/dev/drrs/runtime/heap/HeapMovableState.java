package dev.drrs.runtime.heap;

import dev.drrs.flink.HeapStateAccess;
import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.state.KeyedStateMover;
import dev.drrs.runtime.state.MovableState;
import dev.drrs.runtime.state.StateRoom;
import dev.drrs.runtime.state.SubscaleTimers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** State and timers of an operator in a heap backend. For the mailbox thread. */
final class HeapMovableState implements MovableState {

    private final HeapKeyedStateBackend<?> backend;
    private final HeapKeyedStateMover mover;
    private final SubscaleTimers timers;

    HeapMovableState(
            HeapKeyedStateBackend<?> backend,
            InternalTimeServiceManagerImpl<?> manager,
            int chunkBytes) {
        this.backend = backend;
        this.mover = new HeapKeyedStateMover(backend, manager, chunkBytes);
        this.timers =
                new SubscaleTimers(backend.getNumberOfKeyGroups(), manager, SplitTimerQueue::new);
    }

    @Override
    public KeyedStateMover mover() {
        return mover;
    }

    @Override
    public SubscaleTimers timers() {
        return timers;
    }

    @Override
    public StateRoom room() {
        return new HeapRoom();
    }

    @Override
    public TypeSerializer<?> keySerializer() {
        return backend.getKeySerializer();
    }

    @Override
    public List<SampledKey> sampleKeys(int most) {
        List<SampledKey> samples = new ArrayList<>();
        for (int keyGroup : backend.getKeyGroupRange()) {
            for (StateTable<?, ?, ?> table : HeapStateAccess.tables(backend).values()) {
                Iterator<?> entries = table.getMapForKeyGroup(keyGroup).iterator();
                if (entries.hasNext()) {
                    Object key = ((StateEntry<?, ?, ?>) entries.next()).getKey();
                    samples.add(new SampledKey(key, keyGroup));
                    break;
                }
            }
            if (samples.size() == most) {
                return samples;
            }
        }
        return samples.isEmpty() ? sampleTimers(most) : samples;
    }

    /** Keys may have timers only. */
    private List<SampledKey> sampleTimers(int most) {
        List<SampledKey> samples = new ArrayList<>();
        for (HeapPriorityQueueSnapshotRestoreWrapper<?> queue :
                HeapStateAccess.queues(backend).values()) {
            for (int keyGroup : backend.getKeyGroupRange()) {
                for (Object element : queue.getPriorityQueue().getSubsetForKeyGroup(keyGroup)) {
                    if (element instanceof TimerHeapInternalTimer<?, ?> timer
                            && samples.size() < most) {
                        samples.add(new SampledKey(timer.getKey(), keyGroup));
                        break;
                    }
                }
            }
        }
        return samples;
    }

    /** The agent gives the backend its hook, and calls what is there around each snapshot. */
    @Override
    public void timersInSnapshots(boolean included) {
        ((HookHolder) (Object) backend).drrsHook(included ? timers : null);
    }
}
