package dev.drrs.runtime.job;

import java.util.Objects;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;

/** A vertex as requests and answers name it. */
public interface NamedVertex {

    JobVertexID id();

    /** Id of the operator at the head of the chain. */
    OperatorID operator();

    /** As the job gave it, or null. */
    String uid();

    String name();

    /** Whether a request that says this means the vertex. */
    default boolean answersTo(String wanted) {
        return wanted.equals(id().toString())
                || wanted.equals(operator().toString())
                || Objects.equals(wanted, uid())
                || wanted.equals(name());
    }

    /** How people are told of it: its uid, if the job gave one. */
    default String label() {
        return uid() == null ? name() : uid();
    }
}
