package dev.drrs.instrumentation.task.heap;

import dev.drrs.flink.Member;
import dev.drrs.flink.StateMembers;
import dev.drrs.instrumentation.WovenPoint;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.DrrsHeapStateAccess;

/**
 * Key groups without an entry share a map in a backend that may hold any. Flink makes one of 128
 * places for each key group and state, in each subtask.
 */
final class EmptyKeyGroups extends WovenPoint {

    private static final String HEAP = "org.apache.flink.runtime.state.heap.";
    private static final String MAP = "Lorg/apache/flink/runtime/state/heap/CopyOnWriteStateMap;";

    EmptyKeyGroups() {
        super(
                "empty-key-groups",
                HEAP + "CopyOnWriteStateTable",
                false,
                List.of(new Woven(Member.of("createStateMap", "()" + MAP), Create.class)),
                List.of(
                        StateMembers.NEW_MAP,
                        Member.of(
                                HEAP + "CopyOnWriteStateMap",
                                "stateSnapshot",
                                "()Lorg/apache/flink/runtime/state/heap/CopyOnWriteStateMapSnapshot;"),
                        Member.of(
                                HEAP + "CopyOnWriteStateMap",
                                "getStateIncrementalVisitor",
                                "(I)Lorg/apache/flink/runtime/state/internal/InternalKvState$StateIncrementalVisitor;"),
                        StateMembers.NEW_SNAPSHOT,
                        Member.of(HEAP + "CopyOnWriteStateMapSnapshot", "isReleased", "()Z")));
    }

    /** For each key group when the table is made, and for one that was moved away. */
    public static final class Create {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static CopyOnWriteStateMap<?, ?, ?> enter(@Advice.This Object table) {
            return DrrsHeapStateAccess.emptyMap(table);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter CopyOnWriteStateMap<?, ?, ?> shared,
                @Advice.Return(readOnly = false) CopyOnWriteStateMap<?, ?, ?> map) {
            if (shared != null) {
                map = shared;
            }
        }
    }
}
