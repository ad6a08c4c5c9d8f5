package dev.drrs.runtime.job;

import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * A vertex that scales together with the keyed one before it. It has no active set of its own: that
 * of its leader is kept per checkpoint and goes back with it.
 *
 * @param uid as the job gave it, or null
 */
public record FollowerVertex(
        JobVertexID id,
        OperatorID operator,
        String uid,
        String name,
        int maxParallelism,
        ElasticVertex leader)
        implements GroupMember {

    /** Why it cannot be rescaled by itself, to be read after its name. */
    public String reason() {
        return "it scales together with " + leader.name() + "; name " + leader.label();
    }
}
