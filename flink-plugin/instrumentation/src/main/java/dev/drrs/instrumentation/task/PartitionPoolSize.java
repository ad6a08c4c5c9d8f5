package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.PartitionPool;
import java.util.List;
import net.bytebuddy.asm.Advice;

/** As {@link PartitionPools}: what Flink counts as the subpartitions that need buffers. */
final class PartitionPoolSize extends WovenPoint {

    PartitionPoolSize() {
        super(
                "partition-pool-size",
                "org.apache.flink.runtime.shuffle.NettyShuffleUtils",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "getMinMaxNetworkBuffersPerResultPartition",
                                        "(IIIIIZILorg/apache/flink/runtime/io/network/partition/ResultPartitionType;)Lorg/apache/commons/lang3/tuple/Pair;"),
                                Size.class)),
                List.of());
    }

    /** When a pool is made. */
    public static final class Size {
        @Advice.OnMethodEnter
        public static void enter(@Advice.Argument(value = 4, readOnly = false) int subpartitions) {
            subpartitions = PartitionPool.counted(subpartitions);
        }
    }
}
