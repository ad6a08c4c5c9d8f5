package dev.drrs.runtime.job;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * Which elastic vertices must not be rescaled at the same time: those of which one feeds the other.
 * There the new subtasks of the one are consumers or predecessors of the other, which counts on
 * their number staying as it is while its channels open, its event time is aligned and its subtasks
 * retire.
 *
 * <p>Common predecessors, common consumers, and a task between two elastic vertices do no harm:
 * such a task keeps routing, channels and event time per data set or per input channel, its
 * messages name data set, gate, subscale or rescale, and it waits only for what is behind it in the
 * data flow, never for the other rescale. Main thread.
 */
public final class Touching {

    private final ElasticJob job;
    private final ExecutionGraph graph;

    public Touching(ElasticJob job, ExecutionGraph graph) {
        this.job = job;
        this.graph = graph;
    }

    public boolean touch(ElasticVertex one, ElasticVertex other) {
        return one == other || feeds(one, other) || feeds(other, one);
    }

    /** Whether a task of the first vertex or its followers sends records to one of the second. */
    public boolean feeds(ElasticVertex first, ElasticVertex second) {
        Set<JobVertexID> members = members(second);
        for (JobVertexID id : members(first)) {
            for (IntermediateDataSet dataSet : vertex(id).getProducedDataSets()) {
                for (JobEdge edge : dataSet.getConsumers()) {
                    if (members.contains(edge.getTarget().getID())) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private Set<JobVertexID> members(ElasticVertex leader) {
        Set<JobVertexID> members = new HashSet<>();
        members.add(leader.id());
        job.followers(leader).forEach(follower -> members.add(follower.id()));
        return members;
    }

    private JobVertex vertex(JobVertexID id) {
        return graph.getJobVertex(id).getJobVertex();
    }
}
