package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** Rescales the operators of one running job through the REST API, as a client of it does. */
final class RescaleClient {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> ENDED = Set.of("COMPLETED", "ABORTED", "FAILED");
    private static final long POLL_MILLIS = 20;

    private final HttpClient http = HttpClient.newHttpClient();
    private final MiniCluster cluster;
    private final JobID id;
    private final URI job;

    RescaleClient(MiniCluster cluster, JobClient client) throws Exception {
        this.cluster = cluster;
        id = client.getJobID();
        job = cluster.getRestAddress().get().resolve("/jobs/" + client.getJobID() + "/");
    }

    /** What the plug-in says of the vertex with this name. */
    JsonNode vertex(String name) throws Exception {
        JsonNode answer = get(job.resolve("drrs/vertices"));
        for (JsonNode vertex : answer.path("vertices")) {
            if (name.equals(vertex.path("name").asText())) {
                return vertex;
            }
        }
        throw new IllegalStateException("no vertex " + name + " in " + answer);
    }

    /** Waits until the job has completed so many checkpoints more than now. */
    void awaitCheckpoints(long more) throws Exception {
        long wanted = completedCheckpoints() + more;
        while (completedCheckpoints() < wanted) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    long completedCheckpoints() throws Exception {
        CheckpointStatsSnapshot statistics =
                cluster.getExecutionGraph(id).get().getCheckpointStatsSnapshot();
        return statistics == null ? 0 : statistics.getCounts().getNumberOfCompletedCheckpoints();
    }

    /** Rescales and waits for the end; returns the last status. */
    JsonNode rescale(String vertex, int parallelism) throws Exception {
        return await(begin(request(vertex, parallelism, Integer.MAX_VALUE)));
    }

    /** Asks for a rescale; returns its id. */
    String begin(ObjectNode request) throws Exception {
        JsonNode answer = post(request);
        String id = answer.path("request_id").asText(null);
        if (id == null) {
            throw new IllegalStateException("refused: " + answer);
        }
        return id;
    }

    /** The answer to a request to rescale. */
    JsonNode post(ObjectNode request) throws Exception {
        return post(job.resolve("drrs/rescales"), request);
    }

    JsonNode abort(String id) throws Exception {
        return post(job.resolve("drrs/rescales/" + id + "/abort"), JSON.createObjectNode());
    }

    /** Waits until the job has ended and its JobMaster has gone. */
    void awaitGone() throws Exception {
        while (!"JOB_NOT_RUNNING"
                .equals(abort("none").path("errors").path(0).path("code").asText())) {
            Thread.sleep(POLL_MILLIS); // the REST API has nothing to wait for
        }
    }

    JsonNode status(String id) throws Exception {
        return get(job.resolve("drrs/rescales/" + id));
    }

    /** All rescales, newest first. */
    JsonNode history() throws Exception {
        return get(job.resolve("drrs/rescales")).path("rescales");
    }

    /** Waits for a phase, which the rescale must come to before it ends. */
    void awaitPhase(String id, String phase) throws Exception {
        JsonNode status = awaitAny(id, now -> now.equals(phase) || ENDED.contains(now));
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo(phase);
    }

    /** Waits until key groups move, or have moved already. */
    void awaitBegun(String id) throws Exception {
        awaitAny(id, phase -> !phase.equals("PLANNED") && !phase.equals("PROVISIONING"));
    }

    /** Waits until key groups run at their new owner, or the end. */
    void awaitMoved(String id) throws Exception {
        JsonNode status =
                awaitStatus(
                        id,
                        now -> now.path("key_groups").path("moved").asInt() > 0 || hasEnded(now));
        assertThat(hasEnded(status)).as(status.toString()).isFalse();
    }

    /** Waits for the end; returns the last status. */
    JsonNode await(String id) throws Exception {
        return awaitAny(id, ENDED::contains);
    }

    static boolean hasEnded(JsonNode status) {
        return ENDED.contains(status.path("phase").asText());
    }

    private JsonNode awaitAny(String id, Predicate<String> phases) throws Exception {
        return awaitStatus(id, status -> phases.test(status.path("phase").asText()));
    }

    private JsonNode awaitStatus(String id, Predicate<JsonNode> wanted) throws Exception {
        JsonNode status;
        do {
            Thread.sleep(POLL_MILLIS); // the REST API has nothing to wait for
            status = status(id);
        } while (!wanted.test(status));
        return status;
    }

    /** As {@link #rescale}, and the rescale must complete. */
    void complete(String vertex, int parallelism) throws Exception {
        JsonNode status = rescale(vertex, parallelism);
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
    }

    /** One request for several operators. */
    static ObjectNode together(ObjectNode... operators) {
        ObjectNode request = JSON.createObjectNode();
        request.putArray("operators").addAll(List.of(operators));
        return request;
    }

    int[] placement(String vertex) throws Exception {
        JsonNode placement = vertex(vertex).path("placement");
        int[] owners = new int[placement.size()];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = placement.get(i).asInt();
        }
        return owners;
    }

    /**
     * Key groups stay where they may; the others go to the subtasks 0 to n-1 in turn.
     *
     * @param together key groups in a subscale at most
     */
    ObjectNode request(String name, int parallelism, int together) throws Exception {
        JsonNode vertex = vertex(name);
        Set<Integer> active = new TreeSet<>();
        vertex.path("active").forEach(subtask -> active.add(subtask.asInt()));
        boolean out = parallelism > active.size();
        ObjectNode request = JSON.createObjectNode();
        request.put("vertex", name).put("parallelism", parallelism);
        ArrayNode places = request.putArray("placement");
        TreeMap<String, List<Integer>> moves = new TreeMap<>();
        JsonNode placement = vertex.path("placement");
        for (int keyGroup = 0; keyGroup < placement.size(); keyGroup++) {
            int owner = placement.get(keyGroup).asInt();
            int share = keyGroup % parallelism;
            boolean leaves = out ? !active.contains(share) : owner >= parallelism;
            if (leaves) {
                moves.computeIfAbsent(owner + ">" + share, key -> new ArrayList<>()).add(keyGroup);
            }
            places.add(leaves ? share : owner);
        }
        ArrayNode subscales = request.putArray("subscales");
        moves.forEach(
                (pair, keyGroups) -> {
                    String[] fromTo = pair.split(">");
                    ArrayNode part = null;
                    for (int keyGroup : keyGroups) {
                        if (part == null || part.size() == together) {
                            ObjectNode subscale = subscales.addObject();
                            subscale.put("from", Integer.parseInt(fromTo[0]));
                            subscale.put("to", Integer.parseInt(fromTo[1]));
                            part = subscale.putArray("key_groups");
                        }
                        part.add(keyGroup);
                    }
                });
        return request;
    }

    private JsonNode get(URI uri) throws Exception {
        return send(HttpRequest.newBuilder(uri).build());
    }

    private JsonNode post(URI uri, JsonNode body) throws Exception {
        return send(
                HttpRequest.newBuilder(uri)
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build());
    }

    private JsonNode send(HttpRequest request) throws Exception {
        return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
