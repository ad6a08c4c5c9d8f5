package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.Faults;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The body of a request to rescale, checked for its form only: whether the vertices exist and the
 * plans fit them is for the JobMaster to say.
 *
 * @param operators one or several, in the order given; empty if there is a fault in the list
 * @param strategy name of the strategy, null if the caller named none
 * @param requestId the caller's own id, null if it gave none
 * @param cause free text for the history, null if none
 * @param dryRun only check
 * @param options the strategy's options for this request, by name
 */
public record RescaleRequest(
        List<Operator> operators,
        String strategy,
        String requestId,
        String cause,
        boolean dryRun,
        Map<String, String> options)
        implements Serializable {

    /**
     * What is to become of one operator.
     *
     * @param vertex vertex id, operator id, uid or name; null if left out, for the only one there
     *     is; empty if it is not usable (then there is a fault)
     * @param parallelism as asked for, possibly below one; null if missing or no number (then there
     *     is a fault)
     * @param placement key group to subtask, null if there is none
     * @param subscales null if there are none
     */
    public record Operator(
            String vertex, Integer parallelism, int[] placement, List<Subscale> subscales)
            implements Serializable {

        /** Whether the request brings both parts of a plan for it. */
        public boolean hasPlan() {
            return placement != null && subscales != null;
        }

        /** Whether the request leaves the plan to the JobManager. */
        public boolean isToBePlanned() {
            return placement == null && subscales == null;
        }
    }

    /** Key groups that move together from one subtask to another. */
    public record Subscale(int from, int to, int[] keyGroups) implements Serializable {}

    /**
     * Reads a body. Every fault of its form is added to {@code faults}; the fields that are in
     * order are usable all the same, so that the caller can look for further faults.
     *
     * @return null if the body is not a JSON object
     */
    public static RescaleRequest parse(String json, Faults faults) {
        JsonNode root = RequestJson.object(json, faults);
        return root == null ? null : new RescaleFields(root, faults).read();
    }
}
