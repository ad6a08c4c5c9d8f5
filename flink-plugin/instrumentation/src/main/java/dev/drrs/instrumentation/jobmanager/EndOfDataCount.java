package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.flink.SchedulerMembers;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/** Counts dormant subtasks as through with their data, as they never say so. */
final class EndOfDataCount extends WovenPoint {

    EndOfDataCount() {
        super(
                "end-of-data",
                "org.apache.flink.runtime.scheduler.VertexEndOfDataListener",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "recordTaskEndOfData",
                                        "(Lorg/apache/flink/runtime/executiongraph/ExecutionAttemptID;)V"),
                                Recorded.class)),
                List.of(SchedulerMembers.END_OF_DATA_GRAPH, SchedulerMembers.END_OF_DATA_SUBTASKS));
    }

    /** Sets the bits of the dormant ones. */
    public static final class Recorded {
        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("executionGraph") ExecutionGraph graph,
                @Advice.FieldValue("tasksReachedEndOfData") Map<JobVertexID, BitSet> ended,
                @Advice.Argument(0) ExecutionAttemptID task) {
            JobManagerHooks.endOfData(graph.getJobID(), ended, task);
        }
    }
}
