package dev.drrs.runtime.heap;

import dev.drrs.flink.HeapStateAccess;
import dev.drrs.flink.TimerAccess;
import dev.drrs.runtime.state.StateSizes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;

/**
 * Counts entries of a heap backend and estimates their bytes from samples. For the mailbox thread.
 */
final class HeapStateSizer {

    private final HeapKeyedStateBackend<?> backend;
    private final InternalTimeServiceManagerImpl<?> manager;

    /**
     * Where sampling starts: another key group each time, so that no key group stands for all for
     * ever.
     */
    private int turn;

    /** The entries of one state in one key group. */
    private interface Entries {
        int count(int keyGroup);

        Iterator<?> iterator(int keyGroup);

        void write(Object entry, DataOutputSerializer out) throws IOException;
    }

    HeapStateSizer(HeapKeyedStateBackend<?> backend, InternalTimeServiceManagerImpl<?> manager) {
        this.backend = backend;
        this.manager = manager;
    }

    StateSizes sizes(int samplesPerState) {
        int first = backend.getKeyGroupRange().getStartKeyGroup();
        int number = backend.getKeyGroupRange().getNumberOfKeyGroups();
        long[] entries = new long[number];
        long[] bytes = new long[number];
        for (StateTable<?, ?, ?> table : HeapStateAccess.tables(backend).values()) {
            add(of(table), samplesPerState, first, entries, bytes);
        }
        HeapStateAccess.queues(backend)
                .forEach(
                        (name, wrapper) ->
                                add(of(name, wrapper), samplesPerState, first, entries, bytes));
        turn = (turn + 1) % number;
        return new StateSizes(first, entries, bytes);
    }

    private void add(Entries state, int samples, int first, long[] entries, long[] bytes) {
        double average = averageBytes(state, samples, first, entries.length);
        for (int i = 0; i < entries.length; i++) {
            int count = state.count(first + i);
            entries[i] += count;
            bytes[i] += Math.round(count * average);
        }
    }

    private double averageBytes(Entries state, int samples, int first, int number) {
        DataOutputSerializer out = new DataOutputSerializer(256);
        int sampled = 0;
        long sampledBytes = 0;
        for (int i = 0; i < number && sampled < samples; i++) {
            int keyGroup = first + (turn + i) % number;
            if (state.count(keyGroup) == 0) {
                continue;
            }
            // A key group gives a few at most, so that several have a say.
            int most = Math.min(samples, sampled + Math.max(1, samples / 4));
            for (Iterator<?> each = state.iterator(keyGroup);
                    each.hasNext() && sampled < most;
                    sampled++) {
                out.clear();
                try {
                    state.write(each.next(), out);
                } catch (IOException e) {
                    throw new UncheckedIOException(
                            "An entry cannot be serialised to estimate its size.", e);
                }
                sampledBytes += out.length();
            }
        }
        return sampled == 0 ? 0 : (double) sampledBytes / sampled;
    }

    private static Entries of(StateTable<?, ?, ?> table) {
        StateEntryWriter writer =
                new StateEntryWriter(
                        table.getMetaInfo().getName(),
                        table.getKeySerializer(),
                        table.getNamespaceSerializer(),
                        table.getStateSerializer());
        return new Entries() {
            @Override
            public int count(int keyGroup) {
                return map(keyGroup).size();
            }

            @Override
            public Iterator<?> iterator(int keyGroup) {
                return map(keyGroup).iterator();
            }

            private StateMap<?, ?, ?> map(int keyGroup) {
                return table.getMapForKeyGroup(keyGroup);
            }

            @Override
            public void write(Object entry, DataOutputSerializer out) throws IOException {
                writer.writeEntry(entry, out);
            }
        };
    }

    @SuppressWarnings("unchecked")
    private Entries of(String name, HeapPriorityQueueSnapshotRestoreWrapper<?> wrapper) {
        InternalTimerServiceImpl<?, ?> service = TimerQueues.eventTimeService(manager, name);
        KeyGroupedInternalPriorityQueue<?> queue =
                service == null ? wrapper.getPriorityQueue() : TimerAccess.eventTimeTimers(service);
        TypeSerializer<Object> serializer =
                (TypeSerializer<Object>) wrapper.getMetaInfo().getElementSerializer();
        return new Entries() {
            @Override
            public int count(int keyGroup) {
                return queue.getSubsetForKeyGroup(keyGroup).size();
            }

            @Override
            public Iterator<?> iterator(int keyGroup) {
                return queue.getSubsetForKeyGroup(keyGroup).iterator();
            }

            @Override
            public void write(Object entry, DataOutputSerializer out) throws IOException {
                serializer.serialize(entry, out);
            }
        };
    }
}
