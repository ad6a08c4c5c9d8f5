package dev.drrs.instrumentation.task.heap;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.role.SnapshotHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;

/**
 * Timers that are kept apart while a subscale is open have to be in a snapshot taken meanwhile, or
 * they would be lost.
 */
final class SeparateTimersInSnapshot extends WovenPoint {

    SeparateTimersInSnapshot() {
        super(
                "separate-timers-in-snapshot",
                "org.apache.flink.runtime.state.heap.HeapKeyedStateBackend",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "snapshot",
                                        "(JJLorg/apache/flink/runtime/state/CheckpointStreamFactory;"
                                                + "Lorg/apache/flink/runtime/checkpoint/CheckpointOptions;)"
                                                + "Ljava/util/concurrent/RunnableFuture;"),
                                Synchronous.class),
                        new Woven(
                                Member.of(
                                        "savepoint",
                                        "()Lorg/apache/flink/runtime/state/SavepointResources;"),
                                Synchronous.class)),
                List.of());
    }

    /** Around the synchronous part, which copies the timers. */
    public static final class Synchronous {
        @Advice.OnMethodEnter
        public static void enter(@Advice.FieldValue(Weaving.HOOK) Object hook) {
            SnapshotHooks.before(hook);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        public static void exit(@Advice.FieldValue(Weaving.HOOK) Object hook) {
            SnapshotHooks.after(hook);
        }
    }
}
