package dev.drrs.flink;

/** Members of tasks, their network inputs and their outputs. */
public final class TaskMembers {

    private static final String IO = "org.apache.flink.streaming.runtime.io.";
    private static final String TASKS = "org.apache.flink.streaming.runtime.tasks.";
    private static final String PARTITIONER = "org.apache.flink.streaming.runtime.partitioner.";
    private static final String WATERMARKS = "org.apache.flink.streaming.runtime.watermarkstatus.";

    private static final String TASK = TASKS + "StreamTask";
    public static final Member RECORD_WRITERS =
            Member.of(
                    TASK,
                    "recordWriter",
                    "Lorg/apache/flink/runtime/io/network/api/writer/RecordWriterDelegate;");
    public static final Member OPERATOR_CHAIN =
            Member.of(
                    TASK,
                    "operatorChain",
                    "Lorg/apache/flink/streaming/runtime/tasks/OperatorChain;");
    public static final Member MAILBOX =
            Member.of(
                    TASK,
                    "mailboxProcessor",
                    "Lorg/apache/flink/streaming/runtime/tasks/mailbox/MailboxProcessor;");
    public static final Member INPUT_PROCESSOR =
            Member.of(
                    TASK,
                    "inputProcessor",
                    "Lorg/apache/flink/streaming/runtime/io/StreamInputProcessor;");
    public static final Member CHECKPOINTS =
            Member.of(
                    TASK,
                    "subtaskCheckpointCoordinator",
                    "Lorg/apache/flink/streaming/runtime/tasks/SubtaskCheckpointCoordinator;");
    private static final String ONE_INPUT = IO + "StreamOneInputProcessor";
    public static final Member INPUT_OUTPUT =
            Member.of(
                    ONE_INPUT,
                    "output",
                    "Lorg/apache/flink/streaming/runtime/io/PushingAsyncDataInput$DataOutput;");
    private static final String INPUTS = IO + "StreamMultipleInputProcessor";
    public static final Member PROCESSORS =
            Member.of(
                    INPUTS,
                    "inputProcessors",
                    "[Lorg/apache/flink/streaming/runtime/io/StreamOneInputProcessor;");
    private static final String NETWORK_INPUT = IO + "AbstractStreamTaskNetworkInput";
    public static final Member LAST_CHANNEL =
            Member.of(
                    NETWORK_INPUT,
                    "lastChannel",
                    "Lorg/apache/flink/runtime/checkpoint/channel/InputChannelInfo;");
    public static final Member VALVE =
            Member.of(
                    NETWORK_INPUT,
                    "statusWatermarkValve",
                    "Lorg/apache/flink/streaming/runtime/watermarkstatus/StatusWatermarkValve;");
    public static final Member DESERIALIZERS =
            Member.of(NETWORK_INPUT, "recordDeserializers", "Ljava/util/Map;");
    public static final Member ATTRIBUTES_COMBINER =
            Member.of(
                    NETWORK_INPUT,
                    "recordAttributesCombiner",
                    "Lorg/apache/flink/streaming/runtime/io/RecordAttributesCombiner;");
    public static final Member WATERMARK_COMBINERS =
            Member.of(NETWORK_INPUT, "watermarkCombiners", "Ljava/util/Map;");
    private static final String COMBINER = IO + "RecordAttributesCombiner";
    public static final Member UNDEFINED_CHANNELS =
            Member.of(COMBINER, "backlogUndefinedChannelCnt", "I");
    public static final Member BACKLOG_CHANNELS = Member.of(COMBINER, "backlogChannelCnt", "I");
    public static final Member CHANNEL_ATTRIBUTES =
            Member.of(
                    COMBINER,
                    "allChannelRecordAttributes",
                    "[Lorg/apache/flink/streaming/runtime/streamrecord/RecordAttributes;");
    private static final String CHECKPOINTED = IO + "checkpointing.CheckpointedInputGate";
    public static final Member CHECKPOINTED_GATE =
            Member.of(
                    CHECKPOINTED,
                    "inputGate",
                    "Lorg/apache/flink/runtime/io/network/partition/consumer/InputGate;");
    private static final String ALIGNED = IO + "checkpointing.SingleCheckpointBarrierHandler";
    public static final Member ALIGNED_CHANNELS = Member.of(ALIGNED, "numOpenChannels", "I");
    private static final String TRACKED = IO + "checkpointing.CheckpointBarrierTracker";
    public static final Member TRACKED_CHANNELS = Member.of(TRACKED, "numOpenChannels", "I");
    private static final String OUTPUT = IO + "RecordWriterOutput";
    public static final Member DELEGATE =
            Member.of(
                    OUTPUT,
                    "serializationDelegate",
                    "Lorg/apache/flink/runtime/plugable/SerializationDelegate;");
    public static final Member ANNOUNCED_STATUS =
            Member.of(
                    OUTPUT,
                    "announcedStatus",
                    "Lorg/apache/flink/streaming/runtime/watermarkstatus/WatermarkStatus;");
    private static final String KEY_GROUPS = PARTITIONER + "KeyGroupStreamPartitioner";
    public static final Member KEY_SELECTOR =
            Member.of(
                    KEY_GROUPS, "keySelector", "Lorg/apache/flink/api/java/functions/KeySelector;");

    private TaskMembers() {}
}
