package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.PartitionMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.util.List;
import net.bytebuddy.asm.Advice;

/**
 * Drops elements for a dormant consumer before they take a buffer. Without it each watermark would
 * keep one network buffer per dormant consumer, for ever.
 */
final class DormantEmit extends WovenPoint {

    DormantEmit() {
        super(
                "dormant-emit",
                "org.apache.flink.runtime.io.network.partition.BufferWritingResultPartition",
                true,
                List.of(
                        new Woven(
                                Member.of("emitRecord", "(Ljava/nio/ByteBuffer;I)V"), Emit.class)),
                List.of(
                        PartitionMembers.FLUSH,
                        PartitionMembers.ADD,
                        PartitionMembers.WRITTEN_BYTES));
    }

    /** Watermarks and statuses come this way once per consumer. */
    public static final class Emit {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object output, @Advice.Argument(1) int consumer) {
            return OutEdgeWriter.drops(output, consumer);
        }
    }
}
