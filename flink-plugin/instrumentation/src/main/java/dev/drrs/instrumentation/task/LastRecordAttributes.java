package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;

/**
 * Remembers what an output has announced last. A consumer that is activated later would never learn
 * it.
 */
final class LastRecordAttributes extends WovenPoint {

    LastRecordAttributes() {
        super(
                "last-record-attributes",
                "org.apache.flink.streaming.runtime.io.RecordWriterOutput",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "emitRecordAttributes",
                                        "(Lorg/apache/flink/streaming/runtime/streamrecord/RecordAttributes;)V"),
                                Emit.class)),
                List.of(TaskMembers.DELEGATE, TaskMembers.ANNOUNCED_STATUS));
    }

    /** A few times in the life of a task. */
    public static final class Emit {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.This Object output, @Advice.Argument(0) RecordAttributes attributes) {
            OutEdgeWriter.announced(output, attributes);
        }
    }
}
