package dev.drrs.instrumentation.jobmanager;

import dev.drrs.instrumentation.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;

/**
 * What Flink's REST and web UI show as the parallelism of an elastic vertex: the number of its
 * active subtasks; they would show the ceiling. The list of subtasks stays whole, as Flink looks
 * subtasks up in it by their index.
 */
final class ShownParallelism extends WovenPoint {

    ShownParallelism() {
        super(
                "shown-parallelism",
                "org.apache.flink.runtime.executiongraph.ArchivedExecutionJobVertex",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/runtime/executiongraph/ExecutionJobVertex;)V"),
                                Archived.class)),
                List.of(Member.of("parallelism", "I")));
    }

    /** The copy for REST was made. */
    public static final class Archived {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.Argument(0) ExecutionJobVertex vertex,
                @Advice.FieldValue(value = "parallelism", readOnly = false) int parallelism) {
            parallelism = JobManagerHooks.shownParallelism(vertex, parallelism);
        }
    }
}
