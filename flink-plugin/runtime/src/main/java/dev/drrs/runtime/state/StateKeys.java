package dev.drrs.runtime.state;

import dev.drrs.flink.HeapStateAccess;
import dev.drrs.runtime.keys.KeyFault;
import dev.drrs.runtime.keys.UnstableHash;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/**
 * Looks at some of an operator's real keys: whether a copy, as another process would have it, has
 * the same hash code, and whether each is in the key group it belongs to. For the mailbox thread.
 */
public final class StateKeys {

    private record Sample(Object key, int keyGroup) {}

    private StateKeys() {}

    /**
     * Why keys cannot be moved, or null. Looks at keys of different key groups.
     *
     * @param most number of keys looked at
     */
    public static String fault(StreamOperator<?> operator, int maxParallelism, int most) {
        HeapKeyedStateBackend<?> backend = StateSupport.partsOf(operator).backend();
        for (Sample sample : sample(backend, most)) {
            String unstable = unstable(sample, serializer(backend), maxParallelism);
            if (unstable != null) {
                return KeyFault.of(sample.key().getClass().getName(), unstable) + ".";
            }
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> serializer(HeapKeyedStateBackend<?> backend) {
        return (TypeSerializer<Object>) backend.getKeySerializer();
    }

    private static String unstable(
            Sample sample, TypeSerializer<Object> serializer, int maxParallelism) {
        String part = UnstableHash.inValue(sample.key());
        if (part != null) {
            return part;
        }
        Object copy = serializer.copy(sample.key());
        if (copy.hashCode() != sample.key().hashCode()) {
            return "a copy of key "
                    + sample.key()
                    + " has hash code "
                    + copy.hashCode()
                    + " instead of "
                    + sample.key().hashCode();
        }
        int right = KeyGroupRangeAssignment.assignToKeyGroup(sample.key(), maxParallelism);
        return right == sample.keyGroup()
                ? null
                : "state of key "
                        + sample.key()
                        + " is in key group "
                        + sample.keyGroup()
                        + " and belongs to "
                        + right;
    }

    private static List<Sample> sample(HeapKeyedStateBackend<?> backend, int most) {
        List<Sample> samples = new ArrayList<>();
        KeyGroupRange keyGroups = backend.getKeyGroupRange();
        for (int keyGroup : keyGroups) {
            for (StateTable<?, ?, ?> table : HeapStateAccess.tables(backend).values()) {
                Iterator<?> entries = table.getMapForKeyGroup(keyGroup).iterator();
                if (entries.hasNext()) {
                    samples.add(
                            new Sample(((StateEntry<?, ?, ?>) entries.next()).getKey(), keyGroup));
                    break;
                }
            }
            if (samples.size() == most) {
                return samples;
            }
        }
        return samples.isEmpty() ? sampleTimers(backend, most) : samples;
    }

    /** Keys may have timers only. */
    private static List<Sample> sampleTimers(HeapKeyedStateBackend<?> backend, int most) {
        List<Sample> samples = new ArrayList<>();
        for (HeapPriorityQueueSnapshotRestoreWrapper<?> queue :
                HeapStateAccess.queues(backend).values()) {
            for (int keyGroup : backend.getKeyGroupRange()) {
                for (Object element : queue.getPriorityQueue().getSubsetForKeyGroup(keyGroup)) {
                    if (element instanceof TimerHeapInternalTimer<?, ?> timer
                            && samples.size() < most) {
                        samples.add(new Sample(timer.getKey(), keyGroup));
                        break;
                    }
                }
            }
        }
        return samples;
    }
}
