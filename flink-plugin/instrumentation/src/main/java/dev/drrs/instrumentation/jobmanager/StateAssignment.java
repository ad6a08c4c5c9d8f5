package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.checkpoint.RestoredState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * Gives restored state to active subtasks; by the ceiling a part of it would go to dormant ones and
 * be lost.
 */
final class StateAssignment extends WovenPoint {

    StateAssignment() {
        super(
                "state-assignment",
                "org.apache.flink.runtime.checkpoint.StateAssignmentOperation",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "reAssignSubKeyedStates",
                                        "(Lorg/apache/flink/runtime/checkpoint/OperatorState;Ljava/util/List;III)Lorg/apache/flink/api/java/tuple/Tuple2;"),
                                Keyed.class),
                        new Woven(
                                Member.of(
                                        "assignAttemptState",
                                        "(Lorg/apache/flink/runtime/checkpoint/TaskStateAssignment;)V"),
                                Vertex.class)),
                List.of(
                        CheckpointMembers.ASSIGNED_TASKS,
                        CheckpointMembers.ASSIGNED_STATES,
                        CheckpointMembers.MANAGED_STATE,
                        CheckpointMembers.RAW_STATE));
    }

    /** Refuses what cannot be given to active subtasks only; then deals out operator state. */
    public static final class Vertex {
        @Advice.OnMethodEnter
        public static void enter(
                @Advice.FieldValue("tasks") Set<ExecutionJobVertex> vertices,
                @Advice.FieldValue("operatorStates") Map<OperatorID, OperatorState> states,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object assignment) {
            new RestoredState(vertices, states).check(assignment);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("tasks") Set<ExecutionJobVertex> vertices,
                @Advice.FieldValue("operatorStates") Map<OperatorID, OperatorState> states,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object assignment) {
            new RestoredState(vertices, states).spread(assignment);
        }
    }

    /** Picks the keyed state of a subtask. */
    public static final class Keyed {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static Tuple2<List<KeyedStateHandle>, List<KeyedStateHandle>> enter(
                @Advice.FieldValue("tasks") Set<ExecutionJobVertex> vertices,
                @Advice.FieldValue("operatorStates") Map<OperatorID, OperatorState> states,
                @Advice.Argument(0) OperatorState state,
                @Advice.Argument(1) List<KeyGroupRange> ranges,
                @Advice.Argument(2) int subtask) {
            return new RestoredState(vertices, states).keyed(state, ranges.get(subtask), subtask);
        }

        @Advice.OnMethodExit
        public static void exit(
                @Advice.Enter Tuple2<List<KeyedStateHandle>, List<KeyedStateHandle>> picked,
                @Advice.Return(readOnly = false)
                        Tuple2<List<KeyedStateHandle>, List<KeyedStateHandle>> handles) {
            if (picked != null) {
                handles = picked;
            }
        }
    }
}
