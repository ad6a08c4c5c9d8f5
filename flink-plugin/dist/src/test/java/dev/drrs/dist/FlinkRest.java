package dev.drrs.dist;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** What Flink's own REST API, and with it its web UI, shows of one job. */
final class FlinkRest {

    private static final long POLL_MILLIS = 50; // a MiniCluster has nothing to wait for
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI job;

    FlinkRest(MiniCluster cluster, JobClient client) throws Exception {
        job = cluster.getRestAddress().get().resolve("/jobs/" + client.getJobID() + "/");
    }

    /**
     * The answer of an endpoint of the job.
     *
     * @param path below {@code /jobs/:id/}; empty for the job itself
     */
    JsonNode get(String path) throws Exception {
        HttpResponse<String> answer = ask(path);
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(path + ": " + answer.body());
        }
        return JSON.readTree(answer.body());
    }

    /** Answers come from a copy of the job's graph that is renewed now and then. */
    void awaitState(String state) throws Exception {
        while (!get("").path("state").asText().equals(state)) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    int status(String path) throws Exception {
        return ask(path).statusCode();
    }

    private HttpResponse<String> ask(String path) throws Exception {
        String address = job.resolve(path).toString().replaceAll("/$", "");
        return http.send(
                HttpRequest.newBuilder(URI.create(address)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** What the job shows of the vertex with this name. */
    JsonNode vertex(String name) throws Exception {
        JsonNode answer = get("");
        for (JsonNode vertex : answer.path("vertices")) {
            if (vertex.path("name").asText().equals(name)) {
                return vertex;
            }
        }
        throw new IllegalStateException("no vertex " + name + " in " + answer);
    }

    /** The answer of an endpoint of the vertex with this name. */
    JsonNode ofVertex(String name, String path) throws Exception {
        return get("vertices/" + vertex(name).path("id").asText() + path);
    }

    /** As an array of name and value has it. */
    static String valueOf(JsonNode named, String name) {
        for (JsonNode one : named) {
            if (one.path("name").asText().equals(name)) {
                return one.path("value").asText();
            }
        }
        return null;
    }
}
