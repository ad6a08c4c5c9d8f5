package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A running job gets more subtasks of one of its operators, through the REST API. */
@Timeout(90)
class LiveRescaleITCase {

    private static final long NUMBERS = 40_000;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> ENDED = Set.of("COMPLETED", "ABORTED", "FAILED");

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(3)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private final HttpClient http = HttpClient.newHttpClient();

    @ParameterizedTest
    @CsvSource({"count, 3, false", "count, 4, true", "total, 3, true", "total, 4, false"})
    void outputIsExactAndCheckpointsGoOn(
            String vertex, int target, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = vertex + "-to-" + target;
        JobClient client = submit(name, unaligned, 0);
        awaitCheckpoints(cluster, client, 1);

        JsonNode status = rescale(cluster, client, vertex, target);
        long before = completed(cluster, client);
        client.getJobExecutionResult().get();

        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        assertExact(name);
        assertThat(completed(cluster, client)).isGreaterThan(before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverKeepsTheNewSubtasksAndTheirKeyGroups(
            boolean unaligned, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "failover-" + unaligned;
        JobClient client = submit(name, unaligned, 1);
        awaitCheckpoints(cluster, client, 1);
        JsonNode status = rescale(cluster, client, "count", 4);
        awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
        int[] placement = placement(uri(cluster, client), "count");

        CountedNumbers.failOnce(name);
        while (CountedNumbers.hasStillToFail(name)) {
            Thread.sleep(20);
        }
        awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
        int[] after = placement(uri(cluster, client), "count");
        client.getJobExecutionResult().get();

        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        assertThat(after).isEqualTo(placement).contains(2, 3);
        assertExact(name);
    }

    private static void assertExact(String name) {
        assertThat(CountedNumbers.results(name))
                .hasSize(CountedNumbers.KEYS)
                .allSatisfy(
                        (key, count) -> assertThat(count).isEqualTo(NUMBERS / CountedNumbers.KEYS));
    }

    private JsonNode rescale(MiniCluster cluster, JobClient client, String vertex, int target)
            throws Exception {
        URI job = uri(cluster, client);
        JsonNode answer = post(job.resolve("drrs/rescales"), request(job, vertex, target));
        String id = answer.path("request_id").asText(null);
        assertThat(id).as(answer.toString()).isNotNull();
        JsonNode status;
        do {
            // The REST API is polled, as a client does it.
            Thread.sleep(100);
            status = get(job.resolve("drrs/rescales/" + id));
        } while (!ENDED.contains(status.path("phase").asText()));
        return status;
    }

    private static URI uri(MiniCluster cluster, JobClient client) throws Exception {
        return cluster.getRestAddress().get().resolve("/jobs/" + client.getJobID() + "/");
    }

    private static JobClient submit(String name, boolean unaligned, int restarts) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", "4");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, restarts);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        env.enableCheckpointing(200);
        env.getCheckpointConfig().enableUnalignedCheckpoints(unaligned);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        CountedNumbers.define(env, name, NUMBERS, 4_000);
        return env.executeAsync(name);
    }

    /** A plan that gives each new subtask an equal share, taken in turn from the old ones. */
    private ObjectNode request(URI job, String vertex, int target) throws Exception {
        int[] placement = placement(job, vertex);
        int old = 2;
        TreeMap<String, List<Integer>> moves = new TreeMap<>();
        for (int keyGroup = 0; keyGroup < placement.length; keyGroup++) {
            int share = keyGroup % target;
            if (share >= old) {
                moves.computeIfAbsent(placement[keyGroup] + ">" + share, key -> new ArrayList<>())
                        .add(keyGroup);
                placement[keyGroup] = share;
            }
        }
        ObjectNode request = JSON.createObjectNode();
        request.put("vertex", vertex).put("parallelism", target);
        ArrayNode places = request.putArray("placement");
        for (int owner : placement) {
            places.add(owner);
        }
        ArrayNode subscales = request.putArray("subscales");
        moves.forEach(
                (pair, keyGroups) -> {
                    ObjectNode subscale = subscales.addObject();
                    subscale.put("from", Integer.parseInt(pair.split(">")[0]));
                    subscale.put("to", Integer.parseInt(pair.split(">")[1]));
                    keyGroups.forEach(subscale.putArray("key_groups")::add);
                });
        return request;
    }

    private int[] placement(URI job, String name) throws Exception {
        for (JsonNode vertex : get(job.resolve("drrs/vertices")).path("vertices")) {
            if (name.equals(vertex.path("name").asText())) {
                int[] placement = new int[vertex.path("placement").size()];
                for (int i = 0; i < placement.length; i++) {
                    placement[i] = vertex.path("placement").get(i).asInt();
                }
                return placement;
            }
        }
        throw new IllegalStateException("no vertex " + name);
    }

    private JsonNode get(URI uri) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    private JsonNode post(URI uri, JsonNode body) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build();
        return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    private static void awaitCheckpoints(MiniCluster cluster, JobClient client, long atLeast)
            throws Exception {
        while (completed(cluster, client) < atLeast) {
            Thread.sleep(50);
        }
    }

    private static long completed(MiniCluster cluster, JobClient client) throws Exception {
        AccessExecutionGraph graph = cluster.getExecutionGraph(client.getJobID()).get();
        return graph.getCheckpointStatsSnapshot() == null
                ? 0
                : graph.getCheckpointStatsSnapshot().getCounts().getNumberOfCompletedCheckpoints();
    }
}
