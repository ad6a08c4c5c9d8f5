package dev.drrs.instrumentation.task.heap;

import dev.drrs.flink.Member;
import dev.drrs.flink.StateMembers;
import dev.drrs.instrumentation.Weaving;
import dev.drrs.instrumentation.WovenPoint;
import java.util.HashMap;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.heap.DrrsHeapStateAccess;

/** As {@link EmptyKeyGroups}, for the timers of a backend. */
final class EmptyTimerGroups extends WovenPoint {

    EmptyTimerGroups() {
        super(
                "empty-timer-groups",
                "org.apache.flink.runtime.state.heap.HeapPriorityQueueSet",
                true,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/runtime/state/PriorityComparator;Lorg/apache/flink/runtime/state/KeyExtractorFunction;ILorg/apache/flink/runtime/state/KeyGroupRange;I)V"),
                                Made.class),
                        new Woven(
                                Member.of("getDedupMapForKeyGroup", "(I)Ljava/util/HashMap;"),
                                Find.class)),
                List.of(StateMembers.TIMERS_BY_KEY_GROUP, StateMembers.QUEUE_KEY_GROUPS));
    }

    /** It is empty. */
    public static final class Made {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.This Object queue,
                @Advice.FieldValue("keyGroupRange") KeyGroupRange range) {
            DrrsHeapStateAccess.made(queue, range);
        }
    }

    /** Whatever is done with timers of a key group. */
    public static final class Find {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue(Weaving.HOOK) Object empty,
                @Advice.This Object queue,
                @Advice.FieldValue("keyGroupRange") KeyGroupRange range,
                @Advice.Argument(0) int keyGroup,
                @Advice.Return(readOnly = false) HashMap<?, ?> map) {
            map = DrrsHeapStateAccess.ownMap(empty, queue, range, keyGroup, map);
        }
    }
}
