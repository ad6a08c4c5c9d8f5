package dev.drrs.runtime.heap;

import dev.drrs.flink.HeapStateAccess;
import dev.drrs.flink.TimerAccess;
import dev.drrs.runtime.state.CopiedKeyGroups;
import dev.drrs.runtime.state.DetachedKeyGroups;
import dev.drrs.runtime.state.IncomingKeyGroup;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.KeyedStateMover;
import dev.drrs.runtime.state.StateMismatchException;
import dev.drrs.runtime.state.StateSizes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;

/** {@link KeyedStateMover} for the heap backend, whose timers are in the backend as well. */
final class HeapKeyedStateMover implements KeyedStateMover {

    private static final int MIN_CHUNK_BYTES = 16;

    private final HeapKeyedStateBackend<?> backend;
    private final InternalTimeServiceManagerImpl<?> manager;
    private final int chunkBytes;
    private final ReaderPool pool;
    private final HeapInstaller installer;
    private final HeapStateSizer sizer;
    private final HeapCopies copies;

    /** Descriptions made so far, by name; made anew if the state got other serializers. */
    private final Map<String, Described> described = new HashMap<>();

    private byte[] keySerializerSnapshot;

    private record Described(
            RegisteredStateMetaInfoBase metaInfo, TypeSerializer<?> value, StateDescription as) {}

    /**
     * @param manager the time service manager of the same operator
     * @param chunkBytes largest size of a chunk in bytes
     */
    HeapKeyedStateMover(
            HeapKeyedStateBackend<?> backend,
            InternalTimeServiceManagerImpl<?> manager,
            int chunkBytes) {
        if (chunkBytes < MIN_CHUNK_BYTES) {
            throw new IllegalArgumentException(
                    "A chunk of "
                            + chunkBytes
                            + " bytes is too small, the least is "
                            + MIN_CHUNK_BYTES
                            + ".");
        }
        this.backend = backend;
        this.manager = manager;
        this.chunkBytes = chunkBytes;
        this.pool = new ReaderPool(HeapStateAccess.userClassLoader(backend));
        this.installer = new HeapInstaller(backend, manager, pool);
        this.sizer = new HeapStateSizer(backend, manager);
        this.copies = new HeapCopies(chunkBytes);
    }

    @Override
    public DetachedKeyGroups detach(int... keyGroups) {
        int[] asked = keyGroups.clone();
        checkDetachable(asked);
        try {
            HeapDetachedKeyGroups detached =
                    new HeapDetachedKeyGroups(asked, chunkBytes, keySerializerSnapshot());
            Map<Integer, Map<String, HeapCopies.Copy>> copied = new HashMap<>();
            for (int keyGroup : asked) {
                Map<String, HeapCopies.Copy> ofKeyGroup = copies.remove(keyGroup);
                copied.put(keyGroup, ofKeyGroup);
                if (!ofKeyGroup.isEmpty()) {
                    detached.copied(keyGroup);
                }
            }
            for (StateTable<?, ?, ?> table : HeapStateAccess.tables(backend).values()) {
                detachMaps(table, asked, copied, detached);
            }
            for (HeapPriorityQueueSnapshotRestoreWrapper<?> queue :
                    HeapStateAccess.queues(backend).values()) {
                detachElements(queue, asked, detached);
            }
            HeapStateAccess.resetTtlCleanup(backend);
            return detached;
        } catch (IOException e) {
            throw new UncheckedIOException("The description of a state cannot be serialised.", e);
        }
    }

    private void checkDetachable(int[] keyGroups) {
        int[] sorted = keyGroups.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            if (!backend.getKeyGroupRange().contains(sorted[i])) {
                throw new IllegalArgumentException(
                        "Key group "
                                + sorted[i]
                                + " is outside of "
                                + backend.getKeyGroupRange()
                                + ".");
            }
            if (i > 0 && sorted[i] == sorted[i - 1]) {
                throw new IllegalArgumentException("Key group " + sorted[i] + " is named twice.");
            }
        }
        for (InternalTimerServiceImpl<?, ?> service : TimerAccess.timerServices(manager).values()) {
            KeyGroupedInternalPriorityQueue<?> queue = TimerAccess.eventTimeTimers(service);
            if (queue instanceof SplitTimerQueue<?, ?> split) {
                for (int keyGroup : keyGroups) {
                    if (split.isOpen(keyGroup)) {
                        throw new IllegalStateException(
                                "Key group "
                                        + keyGroup
                                        + " is in a subscale that has not joined yet.");
                    }
                }
            }
        }
    }

    private void detachMaps(
            StateTable<?, ?, ?> table,
            int[] keyGroups,
            Map<Integer, Map<String, HeapCopies.Copy>> copied,
            HeapDetachedKeyGroups detached)
            throws IOException {
        StateMap<?, ?, ?>[] maps = table.getState();
        StateDescription description = null;
        StateEntryWriter writer = null;
        for (int keyGroup : keyGroups) {
            int slot = keyGroup - table.getKeyGroupOffset();
            StateMap<?, ?, ?> map = maps[slot];
            if (map.isEmpty()) {
                continue;
            }
            if (writer == null) {
                description = describe(table.getMetaInfo(), table.getStateSerializer());
                writer = writer(table, description);
            }
            HeapCopies.Copy copy = copied.get(keyGroup).get(description.name());
            if (copy != null && copy.map() == map && copy.description().equals(description)) {
                detached.addChanges(keyGroup, description, map, copy, writer);
            } else {
                detached.addMap(keyGroup, description, map, writer);
            }
            maps[slot] = HeapStateAccess.newMap(table);
        }
    }

    /** With serializers of its own. */
    private static StateEntryWriter writer(
            StateTable<?, ?, ?> table, StateDescription description) {
        return new StateEntryWriter(
                description.name(),
                table.getKeySerializer().duplicate(),
                table.getNamespaceSerializer().duplicate(),
                table.getStateSerializer().duplicate());
    }

    @Override
    public CopiedKeyGroups copy(int... keyGroups) {
        int[] asked = keyGroups.clone();
        checkDetachable(asked);
        copies.checkNone(asked);
        try {
            for (StateTable<?, ?, ?> table : HeapStateAccess.tables(backend).values()) {
                copyMaps(table, asked);
            }
            return copies.copied(asked, keySerializerSnapshot());
        } catch (IOException e) {
            throw new UncheckedIOException("The description of a state cannot be serialised.", e);
        }
    }

    private void copyMaps(StateTable<?, ?, ?> table, int[] keyGroups) throws IOException {
        StateMap<?, ?, ?>[] maps = table.getState();
        StateDescription description = null;
        StateEntryWriter writer = null;
        for (int keyGroup : keyGroups) {
            StateMap<?, ?, ?> map = maps[keyGroup - table.getKeyGroupOffset()];
            if (map.isEmpty() || !(map instanceof CopyOnWriteStateMap<?, ?, ?> copied)) {
                continue;
            }
            if (writer == null) {
                description = describe(table.getMetaInfo(), table.getStateSerializer());
                writer = writer(table, description);
            }
            copies.add(keyGroup, HeapCopies.Copy.of(copied, description, writer));
        }
    }

    private <T extends HeapPriorityQueueElement> void detachElements(
            HeapPriorityQueueSnapshotRestoreWrapper<T> wrapper,
            int[] keyGroups,
            HeapDetachedKeyGroups detached)
            throws IOException {
        HeapPriorityQueueSet<T> queue = wrapper.getPriorityQueue();
        StateDescription description = null;
        TypeSerializer<T> serializer = null;
        for (int keyGroup : keyGroups) {
            List<T> elements = List.copyOf(queue.getSubsetForKeyGroup(keyGroup));
            if (elements.isEmpty()) {
                continue;
            }
            if (serializer == null) {
                serializer = wrapper.getMetaInfo().getElementSerializer();
                description = describe(wrapper.getMetaInfo(), serializer);
                serializer = serializer.duplicate();
            }
            // A call that was registered for one of these timers comes nevertheless and finds
            // nothing due.
            elements.forEach(queue::remove);
            detached.addQueue(keyGroup, description, elements, serializer);
        }
    }

    private StateDescription describe(RegisteredStateMetaInfoBase metaInfo, TypeSerializer<?> value)
            throws IOException {
        Described before = described.get(metaInfo.getName());
        if (before == null || before.metaInfo != metaInfo || before.value != value) {
            before =
                    new Described(
                            metaInfo,
                            value,
                            StateDescription.of(
                                    metaInfo.snapshot(), HeapStateAccess.userClassLoader(backend)));
            described.put(metaInfo.getName(), before);
        }
        return before.as;
    }

    private byte[] keySerializerSnapshot() throws IOException {
        if (keySerializerSnapshot == null) {
            DataOutputSerializer out = new DataOutputSerializer(128);
            TypeSerializerSnapshot.writeVersionedSnapshot(
                    out, backend.getKeySerializer().snapshotConfiguration());
            keySerializerSnapshot = out.getCopyOfBuffer();
        }
        return keySerializerSnapshot;
    }

    @Override
    public IncomingKeyGroup begin(int subscale, int keyGroup, KeyBin bin) {
        return new HeapIncomingKeyGroup(this, pool, subscale, keyGroup, bin);
    }

    void install(HeapIncomingKeyGroup incoming) throws StateMismatchException {
        installer.install(incoming);
    }

    @Override
    public StateSizes sizes(int samplesPerState) {
        return sizer.sizes(samplesPerState);
    }
}
