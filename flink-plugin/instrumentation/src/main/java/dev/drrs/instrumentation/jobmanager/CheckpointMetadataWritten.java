package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.checkpoint.WrittenState;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;

/**
 * Writes the state of elastic operators such that stock Flink restores it at any parallelism; as it
 * stands, it would be wrong at exactly the ceiling.
 */
final class CheckpointMetadataWritten extends WovenPoint {

    CheckpointMetadataWritten() {
        super(
                "checkpoint-metadata",
                "org.apache.flink.runtime.checkpoint.Checkpoints",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "storeCheckpointMetadata",
                                        "(Lorg/apache/flink/runtime/checkpoint/metadata/CheckpointMetadata;Ljava/io/OutputStream;)V"),
                                Store.class)),
                List.of());
    }

    /** Once per checkpoint. */
    public static final class Store {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(value = 0, readOnly = false) CheckpointMetadata metadata) {
            metadata = WrittenState.portable(metadata);
        }
    }
}
