package dev.drrs.runtime.submission;

import java.util.Comparator;
import java.util.Optional;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.ExecutionPlan;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * The max parallelisms of operators that are chained behind others. Flink chains operators whatever
 * theirs is, and a job vertex has only that of its head; the others are in the stream graph, which
 * clients of Flink 2 submit. A plan that comes as a job graph has forgotten them.
 */
final class ChainLimits {

    private static final int UNSET = -1;

    /**
     * @param operator its name
     */
    record Limit(String operator, int maxParallelism) {}

    /** Null if there is none. */
    private final StreamGraph graph;

    private final ClassLoader loader;

    ChainLimits(ExecutionPlan plan, ClassLoader loader) {
        this.graph = plan instanceof StreamGraph stream ? stream : null;
        this.loader = loader;
    }

    /** The least of those that operators behind the head of this vertex have, if any has one. */
    Optional<Limit> of(JobVertex vertex) {
        if (graph == null) {
            return Optional.empty();
        }
        StreamConfig head = new StreamConfig(vertex.getConfiguration());
        return head.getTransitiveChainedTaskConfigs(loader).values().stream()
                .map(
                        operator ->
                                new Limit(
                                        operator.getOperatorName(),
                                        graph.getStreamNode(operator.getVertexID())
                                                .getMaxParallelism()))
                .filter(limit -> limit.maxParallelism != UNSET && limit.maxParallelism > 0)
                .min(Comparator.comparing(Limit::maxParallelism));
    }

    /**
     * Why the members of a group cannot have more than one subtask, to be read after what names the
     * keyed one; null if they can.
     */
    String fault(Iterable<JobVertex> members) {
        for (JobVertex member : members) {
            Limit limit = of(member).orElse(null);
            if (limit != null && limit.maxParallelism == 1) {
                return "operator "
                        + limit.operator
                        + " in the chain of "
                        + member.getName()
                        + " is for one subtask only (its max parallelism is 1); give "
                        + limit.operator
                        + " a rebalance()";
            }
        }
        return null;
    }
}
