package dev.drrs.flink;

import java.lang.invoke.VarHandle;
import java.util.Map;
import org.apache.flink.runtime.rest.messages.JobVertexDetailsInfo;

/** What is inside of answers of the REST endpoint. Any thread. */
public final class RestAccess {

    private static final VarHandle AGGREGATED = Handles.field(RestMembers.AGGREGATED);
    private static final VarHandle METRICS = Handles.field(RestMembers.AGGREGATED_METRICS);

    private RestAccess() {}

    /** Figures of a vertex, by name and then by how they were aggregated. */
    @SuppressWarnings("unchecked")
    public static Map<String, Map<String, Long>> aggregated(JobVertexDetailsInfo vertex) {
        return (Map<String, Map<String, Long>>) METRICS.get(AGGREGATED.get(vertex));
    }
}
