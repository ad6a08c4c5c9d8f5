package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.HeapPriorityQueuesManager;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;

/**
 * What is inside of heap state backends. The methods are for the mailbox thread of the operator
 * concerned, unless they say something else.
 */
public final class HeapStateAccess {

    private static final VarHandle TABLES = Handles.field(StateMembers.TABLES);
    private static final VarHandle TABLE_FACTORY = Handles.field(StateMembers.TABLE_FACTORY);
    private static final VarHandle QUEUES_MANAGER = Handles.field(StateMembers.QUEUES_MANAGER);
    private static final VarHandle QUEUE_FACTORY = Handles.field(StateMembers.QUEUE_FACTORY);
    private static final VarHandle STATES_BY_NAME = Handles.field(StateMembers.STATES_BY_NAME);
    private static final VarHandle KEY_CONTEXT = Handles.field(StateMembers.KEY_CONTEXT);
    private static final VarHandle CLASS_LOADER = Handles.field(StateMembers.CLASS_LOADER);
    private static final MethodHandle NEW_TABLE = Handles.method(StateMembers.NEW_TABLE);
    private static final MethodHandle TABLE_NEW_MAP = Handles.method(StateMembers.TABLE_NEW_MAP);
    private static final MethodHandle NEW_MAP = Handles.constructor(StateMembers.NEW_MAP);

    private static final Class<?> TTL_STATE = Handles.owner(StateMembers.TTL_CALLBACK);
    private static final Class<?> TTL_CLEANUP = Handles.owner(StateMembers.TTL_ITERATOR);
    private static final Class<?> METRICS_STATE = Handles.owner(StateMembers.METRICS_ORIGINAL);
    private static final VarHandle TTL_CALLBACK = Handles.field(StateMembers.TTL_CALLBACK);
    private static final VarHandle TTL_ITERATOR = Handles.field(StateMembers.TTL_ITERATOR);
    private static final VarHandle METRICS_ORIGINAL = Handles.field(StateMembers.METRICS_ORIGINAL);

    private HeapStateAccess() {}

    // ---- keyed state

    @SuppressWarnings("unchecked")
    public static <K> Map<String, StateTable<K, ?, ?>> tables(HeapKeyedStateBackend<K> backend) {
        return (Map<String, StateTable<K, ?, ?>>) TABLES.get(backend);
    }

    /** Makes a table as a restore does; the caller puts it into {@link #tables}. */
    public static StateTable<?, ?, ?> newTable(
            HeapKeyedStateBackend<?> backend,
            RegisteredKeyValueStateBackendMetaInfo<?, ?> metaInfo) {
        try {
            return (StateTable<?, ?, ?>)
                    NEW_TABLE.invoke(
                            TABLE_FACTORY.get(backend),
                            KEY_CONTEXT.get(backend),
                            metaInfo,
                            backend.getKeySerializer());
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static StateMap<?, ?, ?> newMap(StateTable<?, ?, ?> table) {
        return (StateMap<?, ?, ?>) call(TABLE_NEW_MAP, table);
    }

    /** A map that belongs to no table. May be called on any thread. */
    public static CopyOnWriteStateMap<?, ?, ?> newMap(TypeSerializer<?> stateSerializer) {
        return (CopyOnWriteStateMap<?, ?, ?>) call(NEW_MAP, stateSerializer);
    }

    public static ClassLoader userClassLoader(AbstractKeyedStateBackend<?> backend) {
        return (ClassLoader) CLASS_LOADER.get(backend);
    }

    /**
     * Lets each incremental clean-up of expired state start anew at its next access. It would go on
     * over maps that are no longer in their table and write what it finds there into the maps that
     * took their place.
     */
    public static void resetTtlCleanup(AbstractKeyedStateBackend<?> backend) {
        for (Object state : ((Map<?, ?>) STATES_BY_NAME.get(backend)).values()) {
            Object unwrapped = state;
            while (METRICS_STATE.isInstance(unwrapped)) {
                unwrapped = METRICS_ORIGINAL.get(unwrapped);
            }
            if (TTL_STATE.isInstance(unwrapped)) {
                cleanupOf(TTL_CALLBACK.get(unwrapped))
                        .ifPresent(cleanup -> TTL_ITERATOR.set(cleanup, null));
            }
        }
    }

    /**
     * The clean-up is known to nobody but the method reference that calls it: a field of the class
     * the JVM made.
     */
    private static Optional<Object> cleanupOf(Object callback) {
        Field[] captured = ObjectFields.declaredBy(callback.getClass());
        for (Field field : captured) {
            if (TTL_CLEANUP.isAssignableFrom(field.getType())) {
                return Optional.of(ObjectFields.value(field, callback));
            }
        }
        if (captured.length > 0) {
            throw new IllegalStateException(
                    "The clean-up of a state with TTL was not found in "
                            + callback.getClass().getName()
                            + ".");
        }
        return Optional.empty();
    }

    // ---- timers and other queues

    public static Map<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> queues(
            HeapKeyedStateBackend<?> backend) {
        return ((HeapPriorityQueuesManager) QUEUES_MANAGER.get(backend)).getRegisteredPQStates();
    }

    public static HeapPriorityQueueSetFactory queueFactory(HeapKeyedStateBackend<?> backend) {
        return (HeapPriorityQueueSetFactory) QUEUE_FACTORY.get(QUEUES_MANAGER.get(backend));
    }

    private static Object call(MethodHandle handle, Object target) {
        try {
            return handle.invoke(target);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    private static RuntimeException unchecked(Throwable t) {
        if (t instanceof Error e) {
            throw e;
        }
        return t instanceof RuntimeException e ? e : new IllegalStateException(t);
    }
}
