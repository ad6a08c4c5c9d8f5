package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.flink.TaskMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.Routing;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.plugable.SerializationDelegate;

/** Routes by the placement. Flink routes by contiguous ranges over the ceiling. */
final class KeyGroupRouting extends WovenPoint {

    KeyGroupRouting() {
        super(
                "key-group-routing",
                "org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "selectChannel",
                                        "(Lorg/apache/flink/runtime/plugable/SerializationDelegate;)I"),
                                Select.class)),
                List.of(TaskMembers.KEY_SELECTOR));
    }

    /** For each record of an elastic edge; one field read for any other. */
    public static final class Select {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static int enter(
                @Advice.FieldValue("drrsHook") Object routing,
                @Advice.FieldValue("keySelector") KeySelector<?, ?> keySelector,
                @Advice.Argument(0) SerializationDelegate<?> record) {
            return Routing.select(routing, keySelector, record);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter int onePlus, @Advice.Return(readOnly = false) int channel) {
            if (onePlus != 0) {
                channel = onePlus - 1;
            }
        }
    }
}
