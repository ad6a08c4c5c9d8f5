package dev.drrs.flink;

/** Members of state backends and timer services. */
public final class StateMembers {

    private static final String STATE = "org.apache.flink.runtime.state.";
    private static final String OPERATORS = "org.apache.flink.streaming.api.operators.";

    private static final String HEAP_BACKEND = STATE + "heap.HeapKeyedStateBackend";
    public static final Member TABLES =
            Member.of(HEAP_BACKEND, "registeredKVStates", "Ljava/util/Map;");
    public static final Member TABLE_FACTORY =
            Member.of(
                    HEAP_BACKEND,
                    "stateTableFactory",
                    "Lorg/apache/flink/runtime/state/heap/StateTableFactory;");
    public static final Member QUEUES_MANAGER =
            Member.of(
                    HEAP_BACKEND,
                    "priorityQueuesManager",
                    "Lorg/apache/flink/runtime/state/HeapPriorityQueuesManager;");
    private static final String QUEUES = STATE + "HeapPriorityQueuesManager";
    public static final Member QUEUE_FACTORY =
            Member.of(
                    QUEUES,
                    "priorityQueueSetFactory",
                    "Lorg/apache/flink/runtime/state/heap/HeapPriorityQueueSetFactory;");
    private static final String BACKEND = STATE + "AbstractKeyedStateBackend";
    public static final Member STATES_BY_NAME =
            Member.of(BACKEND, "keyValueStatesByName", "Ljava/util/HashMap;");
    public static final Member KEY_CONTEXT =
            Member.of(BACKEND, "keyContext", "Lorg/apache/flink/runtime/state/InternalKeyContext;");
    public static final Member CLASS_LOADER =
            Member.of(BACKEND, "userCodeClassLoader", "Ljava/lang/ClassLoader;");
    private static final String FACTORY = STATE + "heap.StateTableFactory";
    public static final Member NEW_TABLE =
            Member.of(
                    FACTORY,
                    "newStateTable",
                    "(Lorg/apache/flink/runtime/state/InternalKeyContext;Lorg/apache/flink/runtime/state/RegisteredKeyValueStateBackendMetaInfo;Lorg/apache/flink/api/common/typeutils/TypeSerializer;)Lorg/apache/flink/runtime/state/heap/StateTable;");
    private static final String TABLE = STATE + "heap.StateTable";
    public static final Member TABLE_NEW_MAP =
            Member.of(TABLE, "createStateMap", "()Lorg/apache/flink/runtime/state/heap/StateMap;");
    public static final Member TABLE_KEY_CONTEXT =
            Member.of(TABLE, "keyContext", "Lorg/apache/flink/runtime/state/InternalKeyContext;");
    public static final Member TABLE_KEY_GROUPS =
            Member.of(TABLE, "keyGroupRange", "Lorg/apache/flink/runtime/state/KeyGroupRange;");
    public static final Member TABLE_MAPS =
            Member.of(
                    TABLE,
                    "keyGroupedStateMaps",
                    "[Lorg/apache/flink/runtime/state/heap/StateMap;");
    private static final String SNAPSHOT = STATE + "heap.CopyOnWriteStateMapSnapshot";
    public static final Member NEW_SNAPSHOT =
            Member.of(
                    SNAPSHOT,
                    "<init>",
                    "(Lorg/apache/flink/runtime/state/heap/CopyOnWriteStateMap;)V");
    public static final Member SNAPSHOT_VERSION = Member.of(SNAPSHOT, "getSnapshotVersion", "()I");
    private static final String MAP = STATE + "heap.CopyOnWriteStateMap";
    public static final Member STATE_VERSION =
            Member.of(MAP + "$StateMapEntry", "stateVersion", "I");
    public static final Member NEW_MAP =
            Member.of(MAP, "<init>", "(Lorg/apache/flink/api/common/typeutils/TypeSerializer;)V");
    private static final String TIMER_QUEUE = STATE + "heap.HeapPriorityQueueSet";
    public static final Member TIMERS_BY_KEY_GROUP =
            Member.of(TIMER_QUEUE, "deduplicationMapsByKeyGroup", "[Ljava/util/HashMap;");
    public static final Member QUEUE_KEY_GROUPS =
            Member.of(
                    TIMER_QUEUE, "keyGroupRange", "Lorg/apache/flink/runtime/state/KeyGroupRange;");
    private static final String TTL = STATE + "ttl.AbstractTtlState";
    public static final Member TTL_CALLBACK =
            Member.of(TTL, "accessCallback", "Ljava/lang/Runnable;");
    private static final String CLEANUP = STATE + "ttl.TtlIncrementalCleanup";
    public static final Member TTL_ITERATOR =
            Member.of(
                    CLEANUP,
                    "stateIterator",
                    "Lorg/apache/flink/runtime/state/internal/InternalKvState$StateIncrementalVisitor;");
    private static final String MEASURED = STATE + "metrics.AbstractMetricsTrackState";
    public static final Member METRICS_ORIGINAL =
            Member.of(
                    MEASURED,
                    "original",
                    "Lorg/apache/flink/runtime/state/internal/InternalKvState;");
    private static final String OPERATOR_BACKEND = STATE + "DefaultOperatorStateBackend";
    public static final Member OPERATOR_STATES =
            Member.of(OPERATOR_BACKEND, "registeredOperatorStates", "Ljava/util/Map;");
    private static final String TIMER_MANAGER = OPERATORS + "InternalTimeServiceManagerImpl";
    public static final Member TIMER_SERVICES =
            Member.of(TIMER_MANAGER, "timerServices", "Ljava/util/Map;");
    private static final String TIMERS = OPERATORS + "InternalTimerServiceImpl";
    public static final Member EVENT_TIMERS =
            Member.of(
                    TIMERS,
                    "eventTimeTimersQueue",
                    "Lorg/apache/flink/runtime/state/KeyGroupedInternalPriorityQueue;");
    public static final Member CLOCK = Member.of(TIMERS, "currentWatermark", "J");
    public static final Member STARTED = Member.of(TIMERS, "isInitialized", "Z");
    public static final Member NEXT_TIMER =
            Member.of(TIMERS, "nextTimer", "Ljava/util/concurrent/ScheduledFuture;");
    public static final Member TIME_SERVICE =
            Member.of(
                    TIMERS,
                    "processingTimeService",
                    "Lorg/apache/flink/streaming/runtime/tasks/ProcessingTimeService;");
    public static final Member PROCESSING_TIMERS =
            Member.of(
                    TIMERS,
                    "processingTimeTimersQueue",
                    "Lorg/apache/flink/runtime/state/KeyGroupedInternalPriorityQueue;");
    public static final Member ON_PROCESSING_TIME = Member.of(TIMERS, "onProcessingTime", "(J)V");

    private StateMembers() {}
}
