package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.PartitionMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.PartitionPool;
import java.io.IOException;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.util.function.SupplierWithException;

/**
 * The buffer pool of a result partition goes by its open subpartitions. Flink's has a buffer for
 * each subpartition: a job would need network memory for its ceiling, and may not start.
 */
final class PartitionPools extends WovenPoint {

    PartitionPools() {
        super(
                "partition-pools",
                "org.apache.flink.runtime.io.network.partition.ResultPartitionFactory",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "createBufferPoolFactory",
                                        "(ILorg/apache/flink/runtime/io/network/partition/ResultPartitionType;)Lorg/apache/flink/util/function/SupplierWithException;"),
                                PoolFactory.class),
                        new Woven(
                                Member.of(
                                        "create",
                                        "(Ljava/lang/String;ILorg/apache/flink/runtime/deployment/ResultPartitionDeploymentDescriptor;)Lorg/apache/flink/runtime/io/network/partition/ResultPartition;"),
                                Create.class)),
                List.of(PartitionMembers.POOL_FACTORY));
    }

    /** Before a partition is made. */
    public static final class PoolFactory {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Return(readOnly = false)
                        SupplierWithException<BufferPool, IOException> factory) {
            factory = PartitionPool.around(factory);
        }
    }

    /** A partition was made; it has no pool yet. */
    public static final class Create {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(2) ResultPartitionDeploymentDescriptor of,
                @Advice.Return ResultPartition partition) {
            PartitionPool.made(of, partition);
        }
    }
}
