package dev.drrs.instrumentation.task.heap;

import dev.drrs.flink.Member;
import dev.drrs.flink.StateMembers;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.state.heap.DrrsHeapStateAccess;

/** As {@link EmptyKeyGroups}: a key group has a map of its own from its first entry on. */
final class WrittenKeyGroups extends WovenPoint {

    WrittenKeyGroups() {
        super(
                "written-key-groups",
                "org.apache.flink.runtime.state.heap.StateTable",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "put",
                                        "(Ljava/lang/Object;ILjava/lang/Object;Ljava/lang/Object;)V"),
                                Put.class),
                        new Woven(
                                Member.of(
                                        "transform",
                                        "(Ljava/lang/Object;Ljava/lang/Object;Lorg/apache/flink/runtime/state/StateTransformationFunction;)V"),
                                Transform.class)),
                List.of(
                        StateMembers.TABLE_KEY_CONTEXT,
                        StateMembers.TABLE_KEY_GROUPS,
                        StateMembers.TABLE_MAPS));
    }

    /** Of a restore and of most states. */
    public static final class Put {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue(Weaving.HOOK) Object empty,
                @Advice.This Object table,
                @Advice.Argument(1) int keyGroup) {
            DrrsHeapStateAccess.beforePut(empty, table, keyGroup);
        }
    }

    /** Of reducing and aggregating state. */
    public static final class Transform {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue(Weaving.HOOK) Object empty, @Advice.This Object table) {
            DrrsHeapStateAccess.beforePut(empty, table);
        }
    }
}
