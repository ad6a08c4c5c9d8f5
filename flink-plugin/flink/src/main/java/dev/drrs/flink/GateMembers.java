package dev.drrs.flink;

/** Members of input gates and channels. */
public final class GateMembers {

    private static final String PARTITION =
            "org.apache.flink.runtime.io.network.partition.consumer.";
    private static final String TASK_MANAGER = "org.apache.flink.runtime.taskmanager.";

    private static final String GATE = PARTITION + "SingleInputGate";
    public static final Member REQUEST_LOCK = Member.of(GATE, "requestLock", "Ljava/lang/Object;");
    public static final Member WITH_DATA =
            Member.of(
                    GATE,
                    "inputChannelsWithData",
                    "Lorg/apache/flink/runtime/io/network/partition/PrioritizedDeque;");
    public static final Member ENQUEUED =
            Member.of(GATE, "enqueuedInputChannelsWithData", "Ljava/util/BitSet;");
    public static final Member ENDED_PARTITIONS =
            Member.of(GATE, "channelsWithEndOfPartitionEvents", "Ljava/util/BitSet;");
    public static final Member ENDED_DATA =
            Member.of(GATE, "channelsWithEndOfUserRecords", "Ljava/util/BitSet;");
    public static final Member CHANNELS =
            Member.of(
                    GATE,
                    "channels",
                    "[Lorg/apache/flink/runtime/io/network/partition/consumer/InputChannel;");
    public static final Member UNINITIALIZED =
            Member.of(GATE, "numberOfUninitializedChannels", "I");
    public static final Member LAST_PRIORITY = Member.of(GATE, "lastPrioritySequenceNumber", "[I");
    public static final Member CHANNELS_BY_PARTITION =
            Member.of(GATE, "inputChannels", "Ljava/util/Map;");
    public static final Member QUEUE_CHANNEL =
            Member.of(
                    GATE,
                    "queueChannel",
                    "(Lorg/apache/flink/runtime/io/network/partition/consumer/InputChannel;Ljava/lang/Integer;Z)V");
    private static final String CHANNEL = PARTITION + "InputChannel";
    public static final Member RELEASE = Member.of(CHANNEL, "releaseAllResources", "()V");
    public static final Member CHANNEL_GATE =
            Member.of(
                    CHANNEL,
                    "inputGate",
                    "Lorg/apache/flink/runtime/io/network/partition/consumer/SingleInputGate;");
    public static final Member NEW_CHANNEL =
            Member.of(
                    CHANNEL,
                    "<init>",
                    "(Lorg/apache/flink/runtime/io/network/partition/consumer/SingleInputGate;ILorg/apache/flink/runtime/io/network/partition/ResultPartitionID;Lorg/apache/flink/runtime/io/network/partition/ResultSubpartitionIndexSet;IILorg/apache/flink/metrics/Counter;Lorg/apache/flink/metrics/Counter;)V");
    public static final Member REQUEST = Member.of(CHANNEL, "requestSubpartitions", "()V");
    public static final Member PEEK =
            Member.of(CHANNEL, "peekNextBufferSubpartitionIdInternal", "()I");
    public static final Member SEND_TASK_EVENT =
            Member.of(CHANNEL, "sendTaskEvent", "(Lorg/apache/flink/runtime/event/TaskEvent;)V");
    public static final Member IS_RELEASED = Member.of(CHANNEL, "isReleased", "()Z");
    public static final Member ANNOUNCE_BUFFER_SIZE =
            Member.of(CHANNEL, "announceBufferSize", "(I)V");
    public static final Member BUFFERS_IN_USE = Member.of(CHANNEL, "getBuffersInUseCount", "()I");
    private static final String UNKNOWN = PARTITION + "UnknownInputChannel";
    public static final Member NEW_UNKNOWN =
            Member.of(
                    UNKNOWN,
                    "<init>",
                    "(Lorg/apache/flink/runtime/io/network/partition/consumer/SingleInputGate;ILorg/apache/flink/runtime/io/network/partition/ResultPartitionID;Lorg/apache/flink/runtime/io/network/partition/ResultSubpartitionIndexSet;Lorg/apache/flink/runtime/io/network/partition/ResultPartitionManager;Lorg/apache/flink/runtime/io/network/TaskEventPublisher;Lorg/apache/flink/runtime/io/network/ConnectionManager;IIIILorg/apache/flink/runtime/io/network/metrics/InputChannelMetrics;)V");
    private static final String UNION = PARTITION + "UnionInputGate";
    public static final Member UNITED =
            Member.of(UNION, "inputGatesByGateIndex", "Ljava/util/Map;");
    private static final String WITH_METRICS = TASK_MANAGER + "InputGateWithMetrics";
    public static final Member MEASURED =
            Member.of(
                    WITH_METRICS,
                    "inputGate",
                    "Lorg/apache/flink/runtime/io/network/partition/consumer/IndexedInputGate;");

    private GateMembers() {}
}
