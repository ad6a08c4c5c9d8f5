package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.PartitionPool;
import java.util.List;
import net.bytebuddy.asm.Advice;

/**
 * As {@link PartitionPools}: Flink takes a pool without a buffer for each subpartition for a bug.
 */
final class PartitionPoolCheck extends WovenPoint {

    PartitionPoolCheck() {
        super(
                "partition-pool-check",
                "org.apache.flink.runtime.io.network.partition.BufferWritingResultPartition",
                false,
                List.of(new Woven(Member.of("setupInternal", "()V"), Setup.class)),
                List.of());
    }

    /** It is the check and nothing else. */
    public static final class Setup {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(@Advice.This Object partition) {
            return PartitionPool.isByOpen(partition);
        }
    }
}
