package dev.drrs.runtime.state;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.HeapPriorityQueuesManager;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/**
 * All members of Flink 2.3 that are not public and that moving heap state and timers needs. Nothing
 * else in this package reaches behind Flink's access rules.
 *
 * <p>The class can always be loaded; {@link #missing} says what was not found. The other methods
 * are for the mailbox thread of the operator concerned, unless they say something else.
 */
final class HeapStateAccess {

    private static final String STATE = "org.apache.flink.runtime.state.";
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
    private static final List<String> MISSING = new ArrayList<>();

    private static final MethodHandle TABLES =
            getter(HeapKeyedStateBackend.class, "registeredKVStates");
    private static final MethodHandle TABLE_FACTORY =
            getter(HeapKeyedStateBackend.class, "stateTableFactory");
    private static final MethodHandle QUEUES_MANAGER =
            getter(HeapKeyedStateBackend.class, "priorityQueuesManager");
    private static final MethodHandle QUEUE_FACTORY =
            getter(HeapPriorityQueuesManager.class, "priorityQueueSetFactory");
    private static final MethodHandle STATES_BY_NAME =
            getter(AbstractKeyedStateBackend.class, "keyValueStatesByName");
    private static final MethodHandle KEY_CONTEXT =
            getter(AbstractKeyedStateBackend.class, "keyContext");
    private static final MethodHandle CLASS_LOADER =
            getter(AbstractKeyedStateBackend.class, "userCodeClassLoader");
    private static final MethodHandle NEW_TABLE =
            virtual(
                    type(STATE + "heap.StateTableFactory"),
                    "newStateTable",
                    StateTable.class,
                    InternalKeyContext.class,
                    RegisteredKeyValueStateBackendMetaInfo.class,
                    TypeSerializer.class);
    private static final MethodHandle TABLE_NEW_MAP =
            virtual(StateTable.class, "createStateMap", StateMap.class);
    private static final MethodHandle NEW_MAP =
            constructor(CopyOnWriteStateMap.class, TypeSerializer.class);

    private static final Class<?> TTL_STATE = type(STATE + "ttl.AbstractTtlState");
    private static final Class<?> TTL_CLEANUP = type(STATE + "ttl.TtlIncrementalCleanup");
    private static final Class<?> METRICS_STATE = type(STATE + "metrics.AbstractMetricsTrackState");
    private static final MethodHandle TTL_CALLBACK = getter(TTL_STATE, "accessCallback");
    private static final MethodHandle TTL_ITERATOR = setter(TTL_CLEANUP, "stateIterator");
    private static final MethodHandle METRICS_ORIGINAL = getter(METRICS_STATE, "original");

    private static final MethodHandle TIMER_SERVICES =
            getter(InternalTimeServiceManagerImpl.class, "timerServices");
    private static final MethodHandle EVENT_TIMERS =
            getter(InternalTimerServiceImpl.class, "eventTimeTimersQueue");
    private static final MethodHandle SET_EVENT_TIMERS =
            setter(InternalTimerServiceImpl.class, "eventTimeTimersQueue");
    private static final MethodHandle CLOCK =
            getter(InternalTimerServiceImpl.class, "currentWatermark");
    private static final MethodHandle SET_CLOCK =
            setter(InternalTimerServiceImpl.class, "currentWatermark");
    private static final MethodHandle STARTED =
            getter(InternalTimerServiceImpl.class, "isInitialized");
    private static final MethodHandle NEXT_TIMER =
            getter(InternalTimerServiceImpl.class, "nextTimer");
    private static final MethodHandle SET_NEXT_TIMER =
            setter(InternalTimerServiceImpl.class, "nextTimer");
    private static final MethodHandle TIME_SERVICE =
            getter(InternalTimerServiceImpl.class, "processingTimeService");
    private static final MethodHandle PROCESSING_TIMERS =
            getter(InternalTimerServiceImpl.class, "processingTimeTimersQueue");
    private static final MethodHandle ON_PROCESSING_TIME =
            virtual(InternalTimerServiceImpl.class, "onProcessingTime", void.class, long.class);

    private static final MethodHandle MANAGER =
            getter(AbstractStreamOperator.class, "timeServiceManager");
    private static final MethodHandle MANAGER_V2 =
            getter(AbstractStreamOperatorV2.class, "timeServiceManager");
    private static final MethodHandle INTERRUPTIBLE =
            getter(AbstractStreamOperator.class, "watermarkProcessor");
    private static final MethodHandle INTERRUPTIBLE_V2 =
            getter(AbstractStreamOperatorV2.class, "watermarkProcessor");

    private HeapStateAccess() {}

    /**
     * Members of Flink that this class needs and did not find, as `Class.member`. Empty if all is
     * well.
     */
    static List<String> missing() {
        return List.copyOf(MISSING);
    }

    // ---- keyed state

    @SuppressWarnings("unchecked")
    static <K> Map<String, StateTable<K, ?, ?>> tables(HeapKeyedStateBackend<K> backend) {
        return (Map<String, StateTable<K, ?, ?>>) get(TABLES, backend);
    }

    /** Makes a table as a restore does; the caller puts it into {@link #tables}. */
    static StateTable<?, ?, ?> newTable(
            HeapKeyedStateBackend<?> backend,
            RegisteredKeyValueStateBackendMetaInfo<?, ?> metaInfo) {
        try {
            return (StateTable<?, ?, ?>)
                    NEW_TABLE.invoke(
                            get(TABLE_FACTORY, backend),
                            get(KEY_CONTEXT, backend),
                            metaInfo,
                            backend.getKeySerializer());
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static StateMap<?, ?, ?> newMap(StateTable<?, ?, ?> table) {
        return (StateMap<?, ?, ?>) get(TABLE_NEW_MAP, table);
    }

    /** A map that belongs to no table. May be called on any thread. */
    static CopyOnWriteStateMap<?, ?, ?> newMap(TypeSerializer<?> stateSerializer) {
        return (CopyOnWriteStateMap<?, ?, ?>) get(NEW_MAP, stateSerializer);
    }

    static ClassLoader userClassLoader(AbstractKeyedStateBackend<?> backend) {
        return (ClassLoader) get(CLASS_LOADER, backend);
    }

    /**
     * Lets each incremental clean-up of expired state start anew at its next access. It would go on
     * over maps that are no longer in their table and write what it finds there into the maps that
     * took their place.
     */
    static void resetTtlCleanup(AbstractKeyedStateBackend<?> backend) {
        for (Object state : ((Map<?, ?>) get(STATES_BY_NAME, backend)).values()) {
            Object unwrapped = state;
            while (METRICS_STATE.isInstance(unwrapped)) {
                unwrapped = get(METRICS_ORIGINAL, unwrapped);
            }
            if (TTL_STATE.isInstance(unwrapped)) {
                cleanupOf(get(TTL_CALLBACK, unwrapped))
                        .ifPresent(cleanup -> set(TTL_ITERATOR, cleanup, null));
            }
        }
    }

    /**
     * The clean-up is known to nobody but the method reference that calls it: a field of the class
     * the JVM made.
     */
    private static Optional<Object> cleanupOf(Object callback) {
        Field[] captured = callback.getClass().getDeclaredFields();
        for (Field field : captured) {
            if (TTL_CLEANUP.isAssignableFrom(field.getType())) {
                try {
                    field.setAccessible(true);
                    return Optional.of(field.get(callback));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(
                            "The clean-up of a state with TTL cannot be read.", e);
                }
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

    // ---- timers and other queues in the backend

    static Map<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> queues(
            HeapKeyedStateBackend<?> backend) {
        return ((HeapPriorityQueuesManager) get(QUEUES_MANAGER, backend)).getRegisteredPQStates();
    }

    static HeapPriorityQueueSetFactory queueFactory(HeapKeyedStateBackend<?> backend) {
        return (HeapPriorityQueueSetFactory) get(QUEUE_FACTORY, get(QUEUES_MANAGER, backend));
    }

    @SuppressWarnings("unchecked")
    static Map<String, InternalTimerServiceImpl<?, ?>> timerServices(
            InternalTimeServiceManagerImpl<?> manager) {
        return (Map<String, InternalTimerServiceImpl<?, ?>>) get(TIMER_SERVICES, manager);
    }

    @SuppressWarnings("unchecked")
    static <K, N> KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> eventTimeTimers(
            InternalTimerServiceImpl<K, N> service) {
        return (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>>)
                get(EVENT_TIMERS, service);
    }

    static <K, N> void eventTimeTimers(
            InternalTimerServiceImpl<K, N> service,
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> queue) {
        set(SET_EVENT_TIMERS, service, queue);
    }

    static long clock(InternalTimerServiceImpl<?, ?> service) {
        try {
            return (long) CLOCK.invoke(service);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static void clock(InternalTimerServiceImpl<?, ?> service, long clock) {
        try {
            SET_CLOCK.invoke(service, clock);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /**
     * Whether the operator has asked for the service; one that only was restored has nobody to
     * call.
     */
    static boolean isStarted(InternalTimerServiceImpl<?, ?> service) {
        return (boolean) get(STARTED, service);
    }

    /**
     * Registers the call for the first processing-time timer anew. A service that is not started
     * does so later.
     */
    static void armProcessingTime(InternalTimerServiceImpl<?, ?> service) {
        TimerHeapInternalTimer<?, ?> head =
                (TimerHeapInternalTimer<?, ?>)
                        ((KeyGroupedInternalPriorityQueue<?>) get(PROCESSING_TIMERS, service))
                                .peek();
        if (head == null || !isStarted(service)) {
            return;
        }
        ScheduledFuture<?> armed = (ScheduledFuture<?>) get(NEXT_TIMER, service);
        if (armed != null) {
            armed.cancel(false);
        }
        ProcessingTimeService time = (ProcessingTimeService) get(TIME_SERVICE, service);
        set(
                SET_NEXT_TIMER,
                service,
                time.registerTimer(
                        head.getTimestamp(), timestamp -> onProcessingTime(service, timestamp)));
    }

    private static void onProcessingTime(InternalTimerServiceImpl<?, ?> service, long timestamp)
            throws Exception {
        try {
            ON_PROCESSING_TIME.invoke(service, timestamp);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    // ---- operators

    /**
     * The time service manager of an operator, or null. The operator must extend one of Flink's two
     * base classes.
     */
    static InternalTimeServiceManager<?> timeServiceManager(Object operator) {
        return (InternalTimeServiceManager<?>)
                get(operator instanceof AbstractStreamOperator ? MANAGER : MANAGER_V2, operator);
    }

    static boolean hasInterruptibleTimers(Object operator) {
        return get(
                        operator instanceof AbstractStreamOperator
                                ? INTERRUPTIBLE
                                : INTERRUPTIBLE_V2,
                        operator)
                != null;
    }

    // ---- finding and calling

    private static Class<?> type(String name) {
        try {
            return Class.forName(name, false, HeapKeyedStateBackend.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            MISSING.add(name);
            return null;
        }
    }

    private interface Finder {
        MethodHandle find(MethodHandles.Lookup in) throws ReflectiveOperationException;
    }

    private static MethodHandle find(Class<?> owner, String member, Finder finder) {
        if (owner == null) {
            return null;
        }
        try {
            return finder.find(MethodHandles.privateLookupIn(owner, LOOKUP));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            MISSING.add(owner.getSimpleName() + "." + member);
            return null;
        }
    }

    private static MethodHandle getter(Class<?> owner, String field) {
        return find(owner, field, in -> in.unreflectGetter(owner.getDeclaredField(field)));
    }

    private static MethodHandle setter(Class<?> owner, String field) {
        return find(
                owner,
                field,
                in -> {
                    // The only way to a handle that writes a final instance field.
                    Field found = owner.getDeclaredField(field);
                    found.setAccessible(true);
                    return in.unreflectSetter(found);
                });
    }

    private static MethodHandle virtual(
            Class<?> owner, String method, Class<?> result, Class<?>... arguments) {
        return find(
                owner,
                method,
                in -> in.findVirtual(owner, method, MethodType.methodType(result, arguments)));
    }

    private static MethodHandle constructor(Class<?> owner, Class<?>... arguments) {
        return find(
                owner,
                "<init>",
                in -> in.findConstructor(owner, MethodType.methodType(void.class, arguments)));
    }

    private static Object get(MethodHandle handle, Object target) {
        try {
            return handle.invoke(target);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    private static void set(MethodHandle handle, Object target, Object value) {
        try {
            handle.invoke(target, value);
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
