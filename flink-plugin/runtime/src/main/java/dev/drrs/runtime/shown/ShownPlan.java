package dev.drrs.runtime.shown;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.GroupMember;
import java.util.List;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.rest.messages.JobPlanInfo.Plan;

/**
 * The plan of an elastic job as REST and the web UI show it. Flink makes it once, with the ceilings
 * as parallelisms. Main thread.
 */
public final class ShownPlan {

    private ShownPlan() {}

    /** The same with the numbers of subtasks that are shown. */
    public static Plan of(ElasticJob job, Plan plan) {
        List<Plan.Node> nodes = plan.getNodes().stream().map(node -> shown(job, node)).toList();
        return new Plan(plan.getJobId(), plan.getName(), plan.getType(), nodes);
    }

    private static Plan.Node shown(ElasticJob job, Plan.Node node) {
        GroupMember elastic = job.member(JobVertexID.fromHexString(node.getId()));
        if (elastic == null) {
            return node;
        }
        return new Plan.Node(
                node.getId(),
                node.getOperator(),
                job.shownCount(elastic),
                node.getOperatorStrategy(),
                node.getDescription(),
                node.getOptimizerProperties(),
                node.getInputs());
    }
}
