package dev.drrs.instrumentation.task;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.task.KeyGroupRanges;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Lets the state backend of an elastic operator hold any key group. Flink's refuses those outside
 * of its range.
 */
final class AllKeyGroups extends WovenPoint {

    AllKeyGroups() {
        super(
                "all-key-groups",
                "org.apache.flink.runtime.state.KeyedStateBackendParametersImpl",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/runtime/execution/Environment;"
                                                + "Lorg/apache/flink/api/common/JobID;Ljava/lang/String;"
                                                + "Lorg/apache/flink/api/common/typeutils/TypeSerializer;"
                                                + "ILorg/apache/flink/runtime/state/KeyGroupRange;"
                                                + "Lorg/apache/flink/runtime/query/TaskKvStateRegistry;"
                                                + "Lorg/apache/flink/runtime/state/ttl/TtlTimeProvider;"
                                                + "Lorg/apache/flink/metrics/MetricGroup;"
                                                + "Lorg/apache/flink/runtime/state/StateBackend$CustomInitializationMetrics;"
                                                + "Ljava/util/Collection;Lorg/apache/flink/core/fs/CloseableRegistry;D)V"),
                                Widen.class)),
                List.of());
    }

    /** Once per backend. */
    public static final class Widen {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(0) Environment environment,
                @Advice.Argument(4) int numberOfKeyGroups,
                @Advice.Argument(value = 5, readOnly = false) KeyGroupRange range) {
            range = KeyGroupRanges.widen(environment, numberOfKeyGroups, range);
        }
    }
}
