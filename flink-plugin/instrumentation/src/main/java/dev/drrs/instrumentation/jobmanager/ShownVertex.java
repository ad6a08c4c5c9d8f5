package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.RestMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.shown.ShownSubtasks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.FieldPersistence;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionVertex;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;

/**
 * The copy of a vertex that Flink's REST and web UI read, running or ended, has its active subtasks
 * only. With the dormant ones figures would be incomplete for ever, as these report none, and a
 * vertex whose subtasks have all finished would be shown as running.
 */
final class ShownVertex extends WovenPoint {

    ShownVertex() {
        super(
                "shown-vertex",
                "org.apache.flink.runtime.executiongraph.ArchivedExecutionJobVertex",
                FieldPersistence.PLAIN,
                List.of(
                        new Woven(
                                Member.of(
                                        "<init>",
                                        "(Lorg/apache/flink/runtime/executiongraph/ExecutionJobVertex;)V"),
                                Archived.class)),
                List.of(
                        RestMembers.SHOWN_SUBTASKS,
                        RestMembers.SHOWN_PARALLELISM,
                        Member.of(
                                "<init>",
                                "([Lorg/apache/flink/runtime/executiongraph/ArchivedExecutionVertex;Lorg/apache/flink/runtime/jobgraph/JobVertexID;Ljava/lang/String;IILorg/apache/flink/runtime/jobmanager/scheduler/SlotSharingGroup;Lorg/apache/flink/runtime/clusterframework/types/ResourceProfile;[Lorg/apache/flink/runtime/accumulators/StringifiedAccumulatorResult;)V")));
    }

    /** The copy was made. */
    public static final class Archived {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.This Object copy,
                @Advice.Argument(0) ExecutionJobVertex vertex,
                @Advice.FieldValue(value = "taskVertices", readOnly = false)
                        ArchivedExecutionVertex[] subtasks,
                @Advice.FieldValue(value = "parallelism", readOnly = false) int parallelism) {
            subtasks = ShownSubtasks.of(copy, vertex, subtasks);
            parallelism = ShownSubtasks.parallelism(vertex, subtasks, parallelism);
        }
    }
}
