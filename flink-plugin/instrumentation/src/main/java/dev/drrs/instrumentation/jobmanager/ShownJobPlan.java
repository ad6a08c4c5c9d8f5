package dev.drrs.instrumentation.jobmanager;

import dev.drrs.flink.Member;
import dev.drrs.instrumentation.WovenPoint;
import dev.drrs.runtime.jobmanager.JobManagerHooks;
import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.rest.messages.JobPlanInfo;

/**
 * The plan in Flink's REST, of which the web UI makes its graph: parallelisms of elastic vertices
 * are the numbers of their active subtasks; they would be the ceilings, as the plan is made once
 * when the job is set up.
 */
final class ShownJobPlan extends WovenPoint {

    ShownJobPlan() {
        super(
                "shown-plan",
                "org.apache.flink.runtime.executiongraph.DefaultExecutionGraph",
                false,
                List.of(
                        new Woven(
                                Member.of(
                                        "getPlan",
                                        "()Lorg/apache/flink/runtime/rest/messages/JobPlanInfo$Plan;"),
                                GetPlan.class)),
                List.of(Member.of("getJobID", "()Lorg/apache/flink/api/common/JobID;")));
    }

    /** The plan is asked for. */
    public static final class GetPlan {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.This AccessExecutionGraph graph,
                @Advice.Return(readOnly = false) JobPlanInfo.Plan plan) {
            plan = JobManagerHooks.shownPlan(graph.getJobID(), plan);
        }
    }
}
