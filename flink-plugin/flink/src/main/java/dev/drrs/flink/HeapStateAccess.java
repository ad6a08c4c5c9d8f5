package dev.drrs.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.HeapPriorityQueuesManager;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/**
 * What is inside of heap state backends and timer services. The methods are for the mailbox thread
 * of the operator concerned, unless they say something else.
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

    private static final VarHandle TIMER_SERVICES = Handles.field(StateMembers.TIMER_SERVICES);
    private static final VarHandle EVENT_TIMERS = Handles.field(StateMembers.EVENT_TIMERS);
    private static final MethodHandle SET_EVENT_TIMERS = Handles.setter(StateMembers.EVENT_TIMERS);
    private static final VarHandle CLOCK = Handles.field(StateMembers.CLOCK);
    private static final VarHandle STARTED = Handles.field(StateMembers.STARTED);
    private static final VarHandle NEXT_TIMER = Handles.field(StateMembers.NEXT_TIMER);
    private static final VarHandle TIME_SERVICE = Handles.field(StateMembers.TIME_SERVICE);
    private static final VarHandle PROCESSING_TIMERS =
            Handles.field(StateMembers.PROCESSING_TIMERS);
    private static final MethodHandle ON_PROCESSING_TIME =
            Handles.method(StateMembers.ON_PROCESSING_TIME);

    private static final VarHandle MANAGER = Handles.field(OperatorMembers.TIMERS);
    private static final VarHandle MANAGER_V2 = Handles.field(OperatorMembers.TIMERS_V2);
    private static final VarHandle INTERRUPTIBLE = Handles.field(OperatorMembers.INTERRUPTIBLE);
    private static final VarHandle INTERRUPTIBLE_V2 =
            Handles.field(OperatorMembers.INTERRUPTIBLE_V2);

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

    // ---- timers and other queues in the backend

    public static Map<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> queues(
            HeapKeyedStateBackend<?> backend) {
        return ((HeapPriorityQueuesManager) QUEUES_MANAGER.get(backend)).getRegisteredPQStates();
    }

    public static HeapPriorityQueueSetFactory queueFactory(HeapKeyedStateBackend<?> backend) {
        return (HeapPriorityQueueSetFactory) QUEUE_FACTORY.get(QUEUES_MANAGER.get(backend));
    }

    @SuppressWarnings("unchecked")
    public static Map<String, InternalTimerServiceImpl<?, ?>> timerServices(
            InternalTimeServiceManagerImpl<?> manager) {
        return (Map<String, InternalTimerServiceImpl<?, ?>>) TIMER_SERVICES.get(manager);
    }

    @SuppressWarnings("unchecked")
    public static <K, N>
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> eventTimeTimers(
                    InternalTimerServiceImpl<K, N> service) {
        return (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>>)
                EVENT_TIMERS.get(service);
    }

    public static <K, N> void eventTimeTimers(
            InternalTimerServiceImpl<K, N> service,
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> queue) {
        try {
            SET_EVENT_TIMERS.invoke(service, queue);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static long clock(InternalTimerServiceImpl<?, ?> service) {
        return (long) CLOCK.get(service);
    }

    public static void clock(InternalTimerServiceImpl<?, ?> service, long clock) {
        CLOCK.set(service, clock);
    }

    /**
     * Whether the operator has asked for the service; one that only was restored has nobody to
     * call.
     */
    public static boolean isStarted(InternalTimerServiceImpl<?, ?> service) {
        return (boolean) STARTED.get(service);
    }

    /**
     * Registers the call for the first processing-time timer anew. A service that is not started
     * does so later.
     */
    public static void armProcessingTime(InternalTimerServiceImpl<?, ?> service) {
        TimerHeapInternalTimer<?, ?> head =
                (TimerHeapInternalTimer<?, ?>)
                        ((KeyGroupedInternalPriorityQueue<?>) PROCESSING_TIMERS.get(service))
                                .peek();
        if (head == null || !isStarted(service)) {
            return;
        }
        ScheduledFuture<?> armed = (ScheduledFuture<?>) NEXT_TIMER.get(service);
        if (armed != null) {
            armed.cancel(false);
        }
        ProcessingTimeService time = (ProcessingTimeService) TIME_SERVICE.get(service);
        NEXT_TIMER.set(
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
    public static InternalTimeServiceManager<?> timeServiceManager(Object operator) {
        return (InternalTimeServiceManager<?>)
                (operator instanceof AbstractStreamOperator
                        ? MANAGER.get(operator)
                        : MANAGER_V2.get(operator));
    }

    public static boolean hasInterruptibleTimers(Object operator) {
        Object processor =
                operator instanceof AbstractStreamOperator
                        ? INTERRUPTIBLE.get(operator)
                        : INTERRUPTIBLE_V2.get(operator);
        return processor != null;
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
