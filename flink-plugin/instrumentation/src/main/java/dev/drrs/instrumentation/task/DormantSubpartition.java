package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.PartitionMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;

/** Drops buffers for a dormant consumer. Without it they would pile up: nobody reads them. */
final class DormantSubpartition extends WovenPoint {

    DormantSubpartition() {
        super(
                "dormant-subpartition",
                "org.apache.flink.runtime.io.network.partition.PipelinedSubpartition",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "add",
                                        "(Lorg/apache/flink/runtime/io/network/buffer/BufferConsumer;IZ)I"),
                                Add.class)),
                List.of(
                        PartitionMembers.NEW_SUBPARTITION,
                        PartitionMembers.EXCLUSIVE_BUFFERS,
                        PartitionMembers.BUFFER_SIZE,
                        PartitionMembers.STATE_WRITER));
    }

    /** Broadcast buffers, events and the end of the partition come this way. */
    public static final class Add {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(
                @Advice.FieldValue("drrsHook") Object dormant,
                @Advice.Argument(0) BufferConsumer consumer) {
            return dormant != null && OutEdgeWriter.drop(consumer);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter boolean dropped,
                @Advice.Return(readOnly = false) int desirableBufferSize) {
            if (dropped) {
                desirableBufferSize = OutEdgeWriter.NOT_ADDED;
            }
        }
    }
}
