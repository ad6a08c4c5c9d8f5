package dev.drrs.runtime.history;

import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializationFeature;

/**
 * What one JobManager leaves to the next, as the document of the {@link Journal}: a format of its
 * own, so that what REST answers may change without it. Whoever changes it raises {@link #VERSION}:
 * a document of another version is not read.
 *
 * @param rescales newest first
 * @param recoveries where operators are still to go
 */
public record JournalDocument(int version, List<Facts> rescales, List<Target> recoveries) {

    static final int VERSION = 8;

    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);

    /**
     * Where a vertex is still to go after a failover.
     *
     * @param options those of the request
     * @param givenUp why the target before was given up, or null
     * @param targets key group to subtask, the one to be tried next first
     */
    public record Target(
            String vertexId,
            String requestId,
            String strategy,
            Map<String, String> options,
            boolean resumes,
            int attempts,
            int failures,
            String givenUp,
            List<int[]> targets) {}

    JsonNode toJson() {
        return MAPPER.valueToTree(this);
    }

    /**
     * Null if it is of another version.
     *
     * @throws JsonProcessingException if it is not a document of this version
     */
    static JournalDocument read(JsonNode document) throws JsonProcessingException {
        return document.path("version").asInt() == VERSION
                ? MAPPER.treeToValue(document, JournalDocument.class)
                : null;
    }
}
