package dev.drrs.instrumentation.task;

import dev.drrs.flink.BufferMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.JoinPoint;
import dev.drrs.instrumentation.Weaving;
import java.util.List;
import net.bytebuddy.dynamic.DynamicType;

/**
 * Lets the size of a buffer pool change with the number of open subpartitions. Flink fixes it when
 * the pool is made.
 */
final class PoolLimits implements JoinPoint {

    private static final String REQUIRED = "numberOfRequiredMemorySegments";
    private static final String MAX = "maxNumberOfMemorySegments";

    @Override
    public String name() {
        return "pool-limits";
    }

    @Override
    public String type() {
        return "org.apache.flink.runtime.io.network.buffer.LocalBufferPool";
    }

    @Override
    public List<Member> members() {
        return List.of(
                BufferMembers.REQUIRED,
                BufferMembers.MAX,
                BufferMembers.SEGMENTS,
                BufferMembers.GLOBAL_POOL,
                Member.of("setNumBuffers", "(I)V"));
    }

    @Override
    public DynamicType.Builder<?> transform(DynamicType.Builder<?> builder) {
        return Weaving.mutable(builder, REQUIRED, MAX);
    }
}
