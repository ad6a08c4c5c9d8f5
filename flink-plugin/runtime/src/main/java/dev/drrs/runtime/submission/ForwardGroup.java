package dev.drrs.runtime.submission;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamConfig.NetworkInputConfig;
import org.apache.flink.streaming.runtime.partitioner.ForwardPartitioner;

/**
 * A keyed vertex and what hangs behind it on FORWARD edges: subtask i of one sends to subtask i of
 * the next, so all of them have to scale together.
 */
final class ForwardGroup {

    private static final String REMEDY = "; give that edge a rebalance() or a keyBy()";

    private final VertexSupport support;
    private final ClassLoader loader;
    private final Set<JobVertex> members = new LinkedHashSet<>();

    /**
     * @param vertices of the job, sources first
     */
    ForwardGroup(
            JobVertex leader, List<JobVertex> vertices, VertexSupport support, ClassLoader loader) {
        this.support = support;
        this.loader = loader;
        members.add(leader);
        for (JobVertex vertex : vertices) {
            if (vertex.getInputs().stream().anyMatch(this::isInner)) {
                members.add(vertex);
            }
        }
    }

    /** The keyed vertex first, then its followers, each behind all it reads from. */
    List<JobVertex> members() {
        return List.copyOf(members);
    }

    List<JobVertex> followers() {
        return members().subList(1, members.size());
    }

    /** Why the group cannot scale, as a sentence about the keyed vertex; null if it can. */
    String fault() {
        for (JobVertex follower : followers()) {
            String fault = followerFault(follower);
            if (fault != null) {
                return fault;
            }
        }
        for (JobVertex member : members) {
            for (JobEdge edge : outputs(member)) {
                if (!isInner(edge) && !isAllToAll(edge)) {
                    return "the output of "
                            + member.getName()
                            + " to "
                            + edge.getTarget().getName()
                            + " is "
                            + edge.getShipStrategyName()
                            + ", which says nothing about where records go when their number of"
                            + " subtasks changes"
                            + REMEDY;
                }
            }
        }
        return null;
    }

    private String followerFault(JobVertex follower) {
        JobEdge first = follower.getInputs().stream().filter(this::isInner).findFirst().get();
        String intro =
                "its FORWARD output makes " + follower.getName() + " scale together with it, and ";
        if (first.getSource().getProducer() != members.iterator().next()) {
            intro =
                    "a FORWARD edge behind it makes "
                            + follower.getName()
                            + " scale together with it, and ";
        }
        String fault = innerFault(follower);
        return fault == null ? null : intro + fault + REMEDY;
    }

    private String innerFault(JobVertex follower) {
        for (JobEdge edge : follower.getInputs()) {
            if (!isInner(edge)) {
                return "that has another input, from "
                        + edge.getSource().getProducer().getName()
                        + " ("
                        + edge.getShipStrategyName()
                        + ")";
            }
        }
        StreamConfig head = new StreamConfig(follower.getConfiguration());
        String keyed = support.isKeyed(follower) ? follower.getName() : support.keyedInChain(head);
        if (keyed != null) {
            return "the state of "
                    + keyed
                    + ", which is keyed without an exchange by key (reinterpretAsKeyedStream), would"
                    + " have to move along";
        }
        String assigner =
                support.assignsWatermarks(head)
                        ? follower.getName()
                        : support.watermarksInChain(head);
        if (assigner != null) {
            return "there " + assigner + " " + VertexSupport.ASSIGNS_WATERMARKS;
        }
        if (!VertexSupport.RUNS.contains(follower.getInvokableClassName())
                || !Arrays.stream(head.getInputs(loader))
                        .allMatch(input -> input instanceof NetworkInputConfig)) {
            return "that is run by "
                    + follower.getInvokableClassName()
                    + "; so far followers with one or two inputs are supported, multi-input"
                    + " operators and chained sources are not";
        }
        return support.followerFault(follower);
    }

    /** Whether the edge is a FORWARD one that starts in the group. */
    private boolean isInner(JobEdge edge) {
        return members.contains(edge.getSource().getProducer())
                && !isAllToAll(edge)
                && support.partitioner(edge) instanceof ForwardPartitioner;
    }

    private static boolean isAllToAll(JobEdge edge) {
        return edge.getDistributionPattern() == DistributionPattern.ALL_TO_ALL;
    }

    private static List<JobEdge> outputs(JobVertex vertex) {
        List<JobEdge> edges = new ArrayList<>();
        for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
            edges.addAll(dataSet.getConsumers());
        }
        return edges;
    }
}
