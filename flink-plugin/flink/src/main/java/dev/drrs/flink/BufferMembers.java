package dev.drrs.flink;

/** Members of the pools of network buffers. */
public final class BufferMembers {

    private static final String BUFFER = "org.apache.flink.runtime.io.network.buffer.";

    private static final String GLOBAL = BUFFER + "NetworkBufferPool";
    public static final Member FACTORY_LOCK =
            Member.of(GLOBAL, "factoryLock", "Ljava/lang/Object;");
    public static final Member PROMISED = Member.of(GLOBAL, "numTotalRequiredBuffers", "I");
    public static final Member POOLS = Member.of(GLOBAL, "allBufferPools", "Ljava/util/Set;");
    public static final Member RESIZABLE =
            Member.of(GLOBAL, "resizableBufferPools", "Ljava/util/Set;");
    public static final Member REDISTRIBUTE = Member.of(GLOBAL, "redistributeBuffers", "()V");
    private static final String LOCAL = BUFFER + "LocalBufferPool";
    public static final Member GLOBAL_POOL =
            Member.of(
                    LOCAL,
                    "networkBufferPool",
                    "Lorg/apache/flink/runtime/io/network/buffer/NetworkBufferPool;");
    public static final Member SEGMENTS =
            Member.of(LOCAL, "availableMemorySegments", "Ljava/util/ArrayDeque;");
    public static final Member REQUIRED = Member.of(LOCAL, "numberOfRequiredMemorySegments", "I");
    public static final Member MAX = Member.of(LOCAL, "maxNumberOfMemorySegments", "I");

    private BufferMembers() {}
}
