package dev.drrs.runtime.heap;

import dev.drrs.flink.HeapStateAccess;
import dev.drrs.flink.TimerAccess;
import dev.drrs.runtime.state.KeyBin;
import dev.drrs.runtime.state.StateMismatchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;

/**
 * Puts a complete key group into a heap backend: checks everything first, then changes it. For the
 * mailbox thread.
 */
final class HeapInstaller {

    private final HeapKeyedStateBackend<?> backend;
    private final InternalTimeServiceManagerImpl<?> manager;
    private final ReaderPool pool;

    private ReaderPool.Bytes checkedKeySerializer;

    /** By state name: what was compared with what, so that it is not done for each key group. */
    private final Map<String, Checked> checked = new HashMap<>();

    /** Key groups of which some bins are installed and others are not: those that are. */
    private final Map<Integer, Set<KeyBin>> divided = new HashMap<>();

    private record Checked(StateDescription sent, Object here) {}

    HeapInstaller(
            HeapKeyedStateBackend<?> backend,
            InternalTimeServiceManagerImpl<?> manager,
            ReaderPool pool) {
        this.backend = backend;
        this.manager = manager;
        this.pool = pool;
    }

    void install(HeapIncomingKeyGroup incoming) throws StateMismatchException {
        int keyGroup = incoming.keyGroup();
        KeyBin bin = incoming.bin();
        Set<KeyBin> there = divided.getOrDefault(keyGroup, Set.of());
        if (there.isEmpty()) {
            checkEmpty(incoming);
        } else if (there.contains(bin) || there.iterator().next().of() != bin.of()) {
            throw new IllegalStateException(incoming + " cannot be installed beside " + there);
        }
        checkKeySerializer(incoming.keySerializer());
        for (HeapIncomingKeyGroup.Part part : incoming.parts()) {
            check(part.description());
        }
        for (HeapIncomingKeyGroup.Part part : incoming.parts()) {
            if (part.map() != null) {
                StateTable<?, ?, ?> table = table(part.description());
                setMap(part, table, keyGroup);
            } else {
                installElements(part);
            }
        }
        note(keyGroup, bin);
    }

    private void note(int keyGroup, KeyBin bin) {
        Set<KeyBin> there = divided.computeIfAbsent(keyGroup, first -> new HashSet<>());
        there.add(bin);
        if (there.size() == bin.of()) {
            divided.remove(keyGroup);
        }
    }

    private void checkEmpty(HeapIncomingKeyGroup incoming) {
        int keyGroup = incoming.keyGroup();
        HeapStateAccess.tables(backend)
                .forEach(
                        (name, table) -> {
                            if (!((StateMap<?, ?, ?>) table.getMapForKeyGroup(keyGroup))
                                    .isEmpty()) {
                                throw occupied(incoming, name);
                            }
                        });
        HeapStateAccess.queues(backend)
                .forEach(
                        (name, wrapper) -> {
                            if (!queue(name, wrapper).getSubsetForKeyGroup(keyGroup).isEmpty()) {
                                throw occupied(incoming, name);
                            }
                        });
    }

    private static IllegalStateException occupied(HeapIncomingKeyGroup incoming, String name) {
        return new IllegalStateException(
                incoming
                        + " cannot be installed: there are entries of it in \""
                        + name
                        + "\" already.");
    }

    private void checkKeySerializer(ReaderPool.Bytes sent) throws StateMismatchException {
        if (sent.equals(checkedKeySerializer)) {
            return;
        }
        try {
            requireFit(
                    "The key serializer",
                    backend.getKeySerializer(),
                    pool.readKeySerializer(sent),
                    false);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The snapshot of the old owner's key serializer cannot be read.", e);
        }
        checkedKeySerializer = sent;
    }

    private void check(StateDescription sent) throws StateMismatchException {
        String name = sent.name();
        StateTable<?, ?, ?> table =
                sent.isQueue() ? null : HeapStateAccess.tables(backend).get(name);
        HeapPriorityQueueSnapshotRestoreWrapper<?> wrapper =
                sent.isQueue() ? HeapStateAccess.queues(backend).get(name) : null;
        Object here =
                table != null
                        ? table.getMetaInfo()
                        : wrapper != null ? wrapper.getMetaInfo() : null;
        Checked before = checked.get(name);
        if (here == null || (before != null && before.here == here && before.sent.equals(sent))) {
            return;
        }
        StateMetaInfoSnapshot snapshot = sent.snapshot();
        TypeSerializerSnapshot<?> value =
                snapshot.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER);
        if (wrapper != null) {
            requireFit(
                    "The serializer of \"" + name + "\"",
                    wrapper.getMetaInfo().getElementSerializer(),
                    value,
                    false);
        } else {
            String type = snapshot.getOption(CommonOptionsKeys.KEYED_STATE_TYPE);
            String typeHere = table.getMetaInfo().getStateType().toString();
            if (!typeHere.equals(type)) {
                throw new StateMismatchException(
                        "State \""
                                + name
                                + "\" is of type "
                                + type
                                + " at the old owner and of type "
                                + typeHere
                                + " at the new owner.");
            }
            requireFit(
                    "The namespace serializer of state \"" + name + "\"",
                    table.getNamespaceSerializer(),
                    snapshot.getTypeSerializerSnapshot(CommonSerializerKeys.NAMESPACE_SERIALIZER),
                    false);
            // As in a restore, entries are objects here: a value may be written in a newer way next
            // time.
            requireFit(
                    "The serializer of state \"" + name + "\"",
                    table.getStateSerializer(),
                    value,
                    true);
        }
        checked.put(name, new Checked(sent, here));
    }

    @SuppressWarnings("unchecked")
    private static void requireFit(
            String what,
            TypeSerializer<?> here,
            TypeSerializerSnapshot<?> sent,
            boolean migrationAllowed)
            throws StateMismatchException {
        TypeSerializerSchemaCompatibility<?> fit =
                ((TypeSerializerSnapshot<Object>) here.snapshotConfiguration())
                        .resolveSchemaCompatibility((TypeSerializerSnapshot<Object>) sent);
        if (fit.isIncompatible() || (fit.isCompatibleAfterMigration() && !migrationAllowed)) {
            throw new StateMismatchException(
                    what
                            + " at the new owner ("
                            + here.getClass().getName()
                            + ") does not fit that of the old owner ("
                            + sent.getClass().getName()
                            + ").");
        }
    }

    /** The table of a state; one that is not registered here yet is made as a restore makes it. */
    private StateTable<?, ?, ?> table(StateDescription description) {
        StateTable<?, ?, ?> table = HeapStateAccess.tables(backend).get(description.name());
        if (table == null) {
            table =
                    HeapStateAccess.newTable(
                            backend,
                            new RegisteredKeyValueStateBackendMetaInfo<>(description.snapshot()));
            putTable(backend, description.name(), table);
        }
        return table;
    }

    @SuppressWarnings("unchecked")
    private static <K> void putTable(
            HeapKeyedStateBackend<K> backend, String name, StateTable<?, ?, ?> table) {
        HeapStateAccess.tables(backend).put(name, (StateTable<K, ?, ?>) table);
    }

    @SuppressWarnings("unchecked")
    private static void setMap(
            HeapIncomingKeyGroup.Part part, StateTable<?, ?, ?> table, int keyGroup) {
        StateTable<Object, Object, Object> into = (StateTable<Object, Object, Object>) table;
        // The serializer it was read with goes back to the pool; this one copies on write in the
        // mailbox.
        part.map().setStateSerializer(into.getStateSerializer());
        int slot = keyGroup - into.getKeyGroupOffset();
        StateMap<Object, Object, Object> others = into.getState()[slot];
        if (others.isEmpty()) {
            into.getState()[slot] = part.map();
        } else {
            for (StateEntry<Object, Object, Object> entry : part.map()) {
                others.put(entry.getKey(), entry.getNamespace(), entry.getState());
            }
        }
    }

    @SuppressWarnings("unchecked")
    private void installElements(HeapIncomingKeyGroup.Part part) {
        String name = part.description().name();
        HeapPriorityQueueSnapshotRestoreWrapper<?> wrapper =
                HeapStateAccess.queues(backend)
                        .computeIfAbsent(name, absent -> newQueue(part.description().snapshot()));
        KeyGroupedInternalPriorityQueue<Object> queue =
                (KeyGroupedInternalPriorityQueue<Object>) queue(name, wrapper);
        Object headBefore = queue.peek();
        queue.addAll((Collection<Object>) part.elements());
        InternalTimerServiceImpl<?, ?> service = TimerQueues.processingTimeService(manager, name);
        if (service != null && queue.peek() != headBefore) {
            TimerAccess.armProcessingTime(service);
        }
    }

    /** Where elements of a queue go: with an open subscale it is not the backend's own. */
    private KeyGroupedInternalPriorityQueue<?> queue(
            String name, HeapPriorityQueueSnapshotRestoreWrapper<?> wrapper) {
        InternalTimerServiceImpl<?, ?> service = TimerQueues.eventTimeService(manager, name);
        return service == null ? wrapper.getPriorityQueue() : TimerAccess.eventTimeTimers(service);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private HeapPriorityQueueSnapshotRestoreWrapper<?> newQueue(StateMetaInfoSnapshot snapshot) {
        RegisteredPriorityQueueStateBackendMetaInfo metaInfo =
                new RegisteredPriorityQueueStateBackendMetaInfo<>(snapshot);
        return new HeapPriorityQueueSnapshotRestoreWrapper(
                HeapStateAccess.queueFactory(backend)
                        .create(snapshot.getName(), metaInfo.getElementSerializer()),
                metaInfo,
                KeyExtractorFunction.forKeyedObjects(),
                backend.getKeyGroupRange(),
                backend.getNumberOfKeyGroups());
    }
}
