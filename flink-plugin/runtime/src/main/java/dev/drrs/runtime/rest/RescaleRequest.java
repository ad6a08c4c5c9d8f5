package dev.drrs.runtime.rest;

import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The body of a request to rescale, checked for its form only: whether the vertex exists and the
 * plan fits it is for the JobMaster to say.
 *
 * @param vertex vertex id, operator id, uid or name; null if missing (then there is a fault)
 * @param parallelism as asked for, possibly below one; null if missing or no number (then there is
 *     a fault)
 * @param strategy name of the strategy, null if the caller named none
 * @param requestId the caller's own id, null if it gave none
 * @param cause free text for the history, null if none
 * @param dryRun only check
 * @param placement key group to subtask, null if there is none
 * @param subscales null if there are none
 * @param options the strategy's options for this request, by name
 */
public record RescaleRequest(
        String vertex,
        Integer parallelism,
        String strategy,
        String requestId,
        String cause,
        boolean dryRun,
        int[] placement,
        List<Subscale> subscales,
        Map<String, String> options) {

    /** Key groups that move together from one subtask to another. */
    public record Subscale(int from, int to, int[] keyGroups) {}

    /** Whether the request brings both parts of a plan. */
    public boolean hasPlan() {
        return placement != null && subscales != null;
    }

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
