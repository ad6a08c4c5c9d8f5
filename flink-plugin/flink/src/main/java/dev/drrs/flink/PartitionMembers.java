package dev.drrs.flink;

/** Members of result partitions and their subpartitions. */
public final class PartitionMembers {

    private static final String PARTITION = "org.apache.flink.runtime.io.network.partition.";

    private static final String RESULT = PARTITION + "ResultPartition";
    public static final Member POOL_FACTORY =
            Member.of(
                    RESULT,
                    "bufferPoolFactory",
                    "Lorg/apache/flink/util/function/SupplierWithException;");
    private static final String WRITING = PARTITION + "BufferWritingResultPartition";
    public static final Member FLUSH = Member.of(WRITING, "flushSubpartition", "(IZ)V");
    public static final Member ADD =
            Member.of(
                    WRITING,
                    "addToSubpartition",
                    "(ILorg/apache/flink/runtime/io/network/buffer/BufferConsumer;I)I");
    public static final Member WRITTEN_BYTES =
            Member.of(WRITING, "writtenBytesPerSubpartition", "[J");
    private static final String PIPELINED = PARTITION + "PipelinedResultPartition";
    public static final Member ON_CONSUMED = Member.of(PIPELINED, "onConsumedSubpartition", "(I)V");
    public static final Member LOCK = Member.of(PIPELINED, "lock", "Ljava/lang/Object;");
    public static final Member CONSUMED = Member.of(PIPELINED, "consumedSubpartitions", "[Z");
    public static final Member USERS = Member.of(PIPELINED, "numberOfUsers", "I");
    public static final Member ALL_PROCESSED =
            Member.of(PIPELINED, "allRecordsProcessedSubpartitions", "[Z");
    public static final Member NOT_ALL_PROCESSED =
            Member.of(PIPELINED, "numNotAllRecordsProcessedSubpartitions", "I");
    private static final String SUBPARTITION = PARTITION + "PipelinedSubpartition";
    public static final Member NEW_SUBPARTITION =
            Member.of(
                    SUBPARTITION,
                    "<init>",
                    "(IIILorg/apache/flink/runtime/io/network/partition/ResultPartition;)V");
    public static final Member EXCLUSIVE_BUFFERS =
            Member.of(SUBPARTITION, "receiverExclusiveBuffersPerChannel", "I");
    public static final Member BUFFER_SIZE = Member.of(SUBPARTITION, "bufferSize", "I");
    public static final Member STATE_WRITER =
            Member.of(
                    SUBPARTITION,
                    "channelStateWriter",
                    "Lorg/apache/flink/runtime/checkpoint/channel/ChannelStateWriter;");

    private PartitionMembers() {}
}
