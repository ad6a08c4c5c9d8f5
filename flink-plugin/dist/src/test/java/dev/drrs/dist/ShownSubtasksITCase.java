package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Flink's REST API, and with it the web UI, shows the active subtasks of an elastic operator as its
 * subtasks: subtasks 0 and 3 of a ceiling of six.
 */
@Timeout(600)
class ShownSubtasksITCase {

    private static final long NUMBERS = 24_000;
    private static final long PER_SECOND = 2_000;
    private static final Duration REFRESH = Duration.ofMillis(50);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> GROUP = List.of("operator", "pass");

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(configuration())
                            .setNumberTaskManagers(2)
                            .setNumberSlotsPerTaskManager(3)
                            .build());

    private static JobClient running;
    private static FlinkRest rest;

    /** One job for all tests that look at a running one. */
    @BeforeEach
    void startOnce(@InjectMiniCluster MiniCluster cluster) throws Exception {
        if (running != null) {
            return;
        }
        running = start(cluster, "shown-running");
        rest = new FlinkRest(cluster, running);
        for (String name : GROUP) {
            awaitComplete(rest, name);
        }
    }

    private static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, REFRESH);
        configuration.set(WebOptions.REFRESH_INTERVAL, REFRESH);
        configuration.set(RestOptions.ENABLE_FLAMEGRAPH, true);
        return configuration;
    }

    @Covers("reports: REST and web UI of a running job")
    @Test
    void everyPageOfARunningJobShowsTheActiveSubtasksOnly() throws Exception {

        for (String name : GROUP) {
            JsonNode ofJob = rest.vertex(name);
            assertThat(ofJob.path("parallelism").asInt()).isEqualTo(2);
            assertThat(ofJob.path("status").asText()).isEqualTo("RUNNING");
            assertThat(tasks(ofJob.path("tasks"))).containsExactly("RUNNING: 2");

            JsonNode page = rest.ofVertex(name, "");
            assertThat(page.path("parallelism").asInt()).isEqualTo(2);
            assertThat(indices(page.path("subtasks"))).containsExactly(0, 3);
            assertThat(page.at("/aggregated/metrics/read-bytes/min").asLong()).isPositive();
            assertThat(page.at("/aggregated/status-duration/RUNNING/min").asLong()).isPositive();

            assertThat(indices(rest.ofVertex(name, "/subtasktimes").path("subtasks")))
                    .containsExactly(0, 3);
            assertThat(indices(rest.ofVertex(name, "/subtasks/accumulators").path("subtasks")))
                    .containsExactly(0, 3);
            assertThat(indices(rest.ofVertex(name, "/backpressure").path("subtasks")))
                    .containsExactly(0, 3);
            assertThat(subtasksIn(rest.ofVertex(name, "/watermarks"))).containsExactly(0, 3);
            // Those of a subtask that has just retired are kept for a while.
            while (!subtasksIn(rest.ofVertex(name, "/metrics")).equals(Set.of(0, 3))) {
                Thread.sleep(REFRESH.toMillis());
            }
            assertTaskManagers(rest.ofVertex(name, "/taskmanagers").path("taskmanagers"));
        }
        assertThat(planned()).contains("operator: 2", "pass: 2");
        // Two sources, two of each of the operators, and a sink.
        assertThat(tasks(rest.get("/jobs/overview").path("jobs"), running))
                .contains("total: 7", "running: 7", "created: 0");
    }

    @Covers("reports: pages of one subtask")
    @Test
    void aSubtaskIsFoundByItsIndexAndADormantOneIsNoSubtask() throws Exception {
        for (String name : GROUP) {
            String vertex = "vertices/" + rest.vertex(name).path("id").asText();
            JsonNode third = rest.get(vertex + "/subtasks/3");
            assertThat(third.path("subtask").asInt()).isEqualTo(3);
            assertThat(third.path("status").asText()).isEqualTo("RUNNING");
            int attempt = third.path("attempt").asInt();
            assertThat(rest.get(vertex + "/subtasks/3/attempts/" + attempt).path("subtask").asInt())
                    .isEqualTo(3);
            assertThat(
                            rest.get(vertex + "/subtasks/3/attempts/" + attempt + "/accumulators")
                                    .path("subtask")
                                    .asInt())
                    .isEqualTo(3);
            assertThat(rest.get(vertex + "/subtasks/0").path("subtask").asInt()).isZero();
            assertThat(rest.status(vertex + "/flamegraph?subtaskindex=3")).isEqualTo(200);
            assertThat(rest.status(vertex + "/flamegraph")).isEqualTo(200);
            // One that has retired, one below a running one, one that never ran, one too many.
            for (int other : new int[] {1, 2, 5, 6}) {
                assertThat(rest.status(vertex + "/subtasks/" + other)).isEqualTo(404);
                assertThat(rest.status(vertex + "/flamegraph?subtaskindex=" + other))
                        .isEqualTo(404);
            }
        }
    }

    @Covers("reports: checkpoint statistics")
    @Test
    void aCheckpointIsShownWithTheSubtasksThatTookPart() throws Exception {
        long id = rest.get("checkpoints").at("/latest/completed/id").asLong();

        for (String name : GROUP) {
            String vertex = rest.vertex(name).path("id").asText();
            JsonNode ofVertex = rest.get("checkpoints/details/" + id + "/subtasks/" + vertex);
            assertThat(ofVertex.path("num_subtasks").asInt()).isEqualTo(2);
            assertThat(ofVertex.path("num_acknowledged_subtasks").asInt()).isEqualTo(2);
            assertThat(indices(ofVertex.path("subtasks"))).containsExactly(0, 3);
            for (JsonNode subtask : ofVertex.path("subtasks")) {
                assertThat(subtask.path("status").asText()).isEqualTo("completed");
            }
            if (name.equals("operator")) { // it has state in both
                assertThat(ofVertex.at("/summary/state_size/min").asLong()).isPositive();
            }
        }
        JsonNode all = rest.get("checkpoints/details/" + id);
        assertThat(all.path("num_subtasks").asInt()).isEqualTo(7);
        assertThat(all.path("num_acknowledged_subtasks").asInt()).isEqualTo(7);
    }

    @Covers("reports: REST and web UI of a job that has ended")
    @Test
    void aJobThatHasEndedHasNoSubtaskInAnotherState(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        JobClient finished = start(cluster, "shown-finished");
        TimedNumbers.release();
        finished.getJobExecutionResult().get();
        assertEnded(new FlinkRest(cluster, finished), "FINISHED");

        JobClient canceled = start(cluster, "shown-canceled");
        canceled.cancel().get();
        FlinkRest ofCanceled = new FlinkRest(cluster, canceled);
        assertEnded(ofCanceled, "CANCELED");
    }

    private static void assertEnded(FlinkRest ended, String state) throws Exception {
        ended.awaitState(state);
        JsonNode job = ended.get("");
        assertThat(tasks(job.path("status-counts")))
                .containsExactly(state + ": " + job.path("vertices").size());
        for (JsonNode vertex : job.path("vertices")) {
            assertThat(vertex.path("status").asText()).isEqualTo(state);
            assertThat(tasks(vertex.path("tasks")))
                    .containsExactly(state + ": " + vertex.path("parallelism").asInt());
            assertThat(vertex.path("end-time").asLong()).isPositive();
            assertThat(vertex.at("/metrics/read-records-complete").asBoolean()).isTrue();
        }
        for (String name : GROUP) {
            assertThat(ended.vertex(name).path("parallelism").asInt()).isEqualTo(2);
            assertThat(indices(ended.ofVertex(name, "").path("subtasks"))).containsExactly(0, 3);
        }
    }

    private static void assertTaskManagers(JsonNode taskManagers) {
        int count = 0;
        for (JsonNode one : taskManagers) {
            assertThat(one.path("taskmanager-id").asText()).isNotEqualTo("(unassigned)");
            count += one.at("/status-counts/RUNNING").asInt();
            assertThat(one.at("/status-counts/CREATED").asInt()).isZero();
        }
        assertThat(count).isEqualTo(2);
    }

    /** Nothing is "loading" any more, as soon as all that run have reported. */
    private static void awaitComplete(FlinkRest job, String vertex) throws Exception {
        JsonNode metrics;
        do {
            Thread.sleep(REFRESH.toMillis());
            metrics = job.vertex(vertex).path("metrics");
        } while (!metrics.path("read-bytes-complete").asBoolean()
                || !metrics.path("write-bytes-complete").asBoolean()
                || !metrics.path("read-records-complete").asBoolean()
                || !metrics.path("write-records-complete").asBoolean());
    }

    private static Set<Integer> indices(JsonNode subtasks) {
        Set<Integer> indices = new TreeSet<>();
        for (JsonNode one : subtasks) {
            indices.add(one.has("index") ? one.path("index").asInt() : one.path("subtask").asInt());
        }
        return indices;
    }

    /** Of metrics whose names begin with the index of a subtask. */
    private static Set<Integer> subtasksIn(JsonNode metrics) {
        Set<Integer> indices = new TreeSet<>();
        for (JsonNode one : metrics) {
            String[] parts = one.path("id").asText().split("\\.", 2);
            if (parts[0].matches("\\d+")) {
                indices.add(Integer.valueOf(parts[0]));
            }
        }
        return indices;
    }

    private static List<String> tasks(JsonNode counts) {
        List<String> some = new ArrayList<>();
        counts.properties()
                .forEach(
                        count -> {
                            if (count.getValue().asInt() > 0) {
                                some.add(count.getKey() + ": " + count.getValue().asInt());
                            }
                        });
        return some;
    }

    private static List<String> tasks(JsonNode jobs, JobClient client) {
        List<String> all = new ArrayList<>();
        for (JsonNode job : jobs) {
            if (job.path("jid").asText().equals(client.getJobID().toString())) {
                job.path("tasks")
                        .properties()
                        .forEach(
                                count -> all.add(count.getKey() + ": " + count.getValue().asInt()));
            }
        }
        return all;
    }

    private static List<String> planned() throws Exception {
        List<String> planned = new ArrayList<>();
        for (JsonNode node : rest.get("plan").at("/plan/nodes")) {
            String name = node.path("description").asText().replaceAll("<br/>.*", "");
            planned.add(name + ": " + node.path("parallelism").asInt());
        }
        return planned;
    }

    /** On return the active subtasks are 0 and 3, and a checkpoint has completed since. */
    private static JobClient start(MiniCluster cluster, String name) throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.keep(
                name,
                ForwardEdges.pass(
                        SeveralInputs.single(
                                TimedNumbers.untilReleased(env, "numbers", NUMBERS, PER_SECOND)),
                        "pass"));
        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
        JsonNode status = rescales.await(rescales.begin(from1To3(rescales)));
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        rescales.awaitCheckpoints(1);
        return client;
    }

    private static ObjectNode from1To3(RescaleClient rescales) throws Exception {
        int[] owners = rescales.placement("operator");
        ObjectNode request = JSON.createObjectNode();
        request.put("vertex", "operator").put("parallelism", 2);
        ArrayNode placement = request.putArray("placement");
        ObjectNode subscale = request.putArray("subscales").addObject();
        ArrayNode moved = subscale.put("from", 1).put("to", 3).putArray("key_groups");
        for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
            placement.add(owners[keyGroup] == 1 ? 3 : 0);
            if (owners[keyGroup] == 1) {
                moved.add(keyGroup);
            }
        }
        return request;
    }
}
