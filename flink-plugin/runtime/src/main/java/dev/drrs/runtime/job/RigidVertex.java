package dev.drrs.runtime.job;

import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * A keyed vertex that is not elastic.
 *
 * @param uid as the job gave it, or null
 * @param reason why, to be read after "it is not elastic:"
 */
public record RigidVertex(
        JobVertexID id,
        OperatorID operator,
        String uid,
        String name,
        int parallelism,
        int maxParallelism,
        String reason)
        implements NamedVertex {

    public RigidVertex(JobVertex vertex, OperatorIDPair head, String reason) {
        this(
                vertex.getID(),
                head.getGeneratedOperatorID(),
                head.getUserDefinedOperatorUid(),
                nameOf(vertex, head),
                vertex.getParallelism(),
                vertex.getMaxParallelism(),
                reason);
    }

    /** The operator's own name where the job gave one, else that of the whole chain. */
    public static String nameOf(JobVertex vertex, OperatorIDPair head) {
        return head.getUserDefinedOperatorName() == null
                ? vertex.getName()
                : head.getUserDefinedOperatorName();
    }
}
