package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.PartitionMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.io.IOException;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.io.network.api.StopMode;

/**
 * Counts a dormant consumer as one that has read everything. Without it a bounded job would never
 * end, and every result partition would stay registered in its TaskManager.
 */
final class DormantConsumers extends WovenPoint {

    DormantConsumers() {
        super(
                "dormant-consumers",
                "org.apache.flink.runtime.io.network.partition.PipelinedResultPartition",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "notifyEndOfData",
                                        "(Lorg/apache/flink/runtime/io/network/api/StopMode;)V"),
                                EndOfData.class),
                        new Woven(Member.of("close", "()V"), Close.class),
                        new Woven(PartitionMembers.ON_CONSUMED, Consumed.class),
                        new Woven(
                                Member.of(
                                        "addRecovered",
                                        "(ILorg/apache/flink/runtime/io/network/buffer/BufferConsumer;)V"),
                                Recovered.class)),
                List.of(
                        PartitionMembers.LOCK,
                        PartitionMembers.CONSUMED,
                        PartitionMembers.USERS,
                        PartitionMembers.ALL_PROCESSED,
                        PartitionMembers.NOT_ALL_PROCESSED));
    }

    /** Put off while a consumer is being rescaled; dormant ones cannot acknowledge it. */
    public static final class EndOfData {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This Object partition, @Advice.Argument(0) StopMode mode)
                throws Exception {
            OutEdgeWriter.beforeEndOfData(partition, mode);
        }

        @Advice.OnMethodExit
        public static void exit(@Advice.This Object partition) {
            OutEdgeWriter.endOfData(partition);
        }
    }

    /** Nobody is there to let go of it. */
    public static final class Close {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This Object partition) {
            OutEdgeWriter.closing(partition);
        }
    }

    /** A consumer that ends has let go: its place can be made ready for a new one. */
    public static final class Consumed {
        @Advice.OnMethodExit
        public static void exit(@Advice.This Object partition, @Advice.Argument(0) int consumer) {
            OutEdgeWriter.consumed(partition, consumer);
        }
    }

    /** In-flight data of a checkpoint must not vanish in silence. */
    public static final class Recovered {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This Object partition, @Advice.Argument(0) int consumer)
                throws IOException {
            OutEdgeWriter.recovered(partition, consumer);
        }
    }
}
