package dev.drrs.instrumentation.jobmanager;

import dev.drrs.instrumentation.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.RestoredState;
import java.util.List;
import java.util.Set;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Gives restored keyed state to active subtasks; by the ceiling a part of it would go to dormant
 * ones and be lost.
 */
final class KeyedStateAssignment extends WovenPoint {

    KeyedStateAssignment() {
        super(
                "keyed-state-assignment",
                "org.apache.flink.runtime.checkpoint.StateAssignmentOperation",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "reAssignSubKeyedStates",
                                        "(Lorg/apache/flink/runtime/checkpoint/OperatorState;Ljava/util/List;III)Lorg/apache/flink/api/java/tuple/Tuple2;"),
                                Assign.class),
                        new Woven(
                                Member.of(
                                        "assignAttemptState",
                                        "(Lorg/apache/flink/runtime/checkpoint/TaskStateAssignment;)V"),
                                Check.class)),
                List.of(Member.of("tasks", "Ljava/util/Set;")));
    }

    /** Refuses what would be given to dormant subtasks and lost. */
    public static final class Check {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object assignment) {
            RestoredState.check(DrrsCheckpointAccess.restored(assignment));
        }
    }

    /**
     * Replaces the key-group ranges, and the old parallelism where each subtask would get its own
     * handle back by mistake.
     */
    public static final class Assign {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue("tasks") Set<ExecutionJobVertex> vertices,
                @Advice.Argument(0) OperatorState state,
                @Advice.Argument(value = 1, readOnly = false) List<KeyGroupRange> ranges,
                @Advice.Argument(value = 4, readOnly = false) int oldParallelism) {
            RestoredState restored = RestoredState.of(vertices, state, ranges, oldParallelism);
            ranges = restored.ranges();
            oldParallelism = restored.oldParallelism();
        }
    }
}
