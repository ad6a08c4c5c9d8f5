package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several operators of a job are rescaled, in one request or in several that meet. */
@Timeout(600)
class SeveralOperatorsITCase extends CleanCluster {

    private static final long NUMBERS = 60_000;
    private static final long PER_SECOND = 4_000;
    private static final long SLOWLY = PER_SECOND / 10;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    private JobClient client;
    private RescaleClient rescales;

    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true", "5, 2, false"})
    @Covers("requests: rescales of operators that do not touch at the same time")
    void thoseThatDoNotTouchGoOnAtTheSameTime(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "beside-" + from + "-" + to;
        start(cluster, name, from, unaligned, 0);

        Map<String, String> ids = new TreeMap<>();
        for (String vertex : new String[] {"left", "right", "after"}) {
            ids.put(vertex, rescales.begin(slow(vertex, to)));
        }
        JsonNode refused = rescales.post(slow("behind", to));
        Map<String, JsonNode> ended = new TreeMap<>();
        for (Map.Entry<String, String> id : ids.entrySet()) {
            ended.put(id.getKey(), rescales.await(id.getValue()));
        }
        JsonNode then = rescales.await(rescales.begin(slow("behind", to)));
        TimedNumbers.awaitEnd(client);

        assertThat(ids.values()).doesNotHaveDuplicates();
        long lastAccepted =
                ended.values().stream()
                        .mapToLong(status -> status.path("accepted_at").asLong())
                        .max()
                        .orElseThrow();
        assertThat(ended.values())
                .allSatisfy(SeveralOperatorsITCase::assertCompleted)
                .allSatisfy(
                        status ->
                                assertThat(status.path("ended_at").asLong())
                                        .isGreaterThan(lastAccepted));
        assertThat(refused.path("errors")).hasSize(1);
        assertThat(refused.path("errors").get(0).path("code").asText())
                .isEqualTo("RESCALE_IN_PROGRESS");
        assertThat(refused.path("errors").get(0).path("message").asText())
                .contains(ids.get("left"), "of operator left, which sends records to behind");
        assertCompleted(then);
        assertThat(KeptResults.of(name)).isEqualTo(expected());
    }

    @ParameterizedTest
    @CsvSource({"2, 3, true", "3, 5, false", "5, 2, false"})
    @Covers("requests: several operators in one request")
    void aRequestForAllOfThemTakesThoseThatTouchInTurn(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "together-" + from + "-" + to;
        start(cluster, name, from, unaligned, 0);

        JsonNode status =
                rescales.await(
                        rescales.begin(
                                RescaleClient.together(
                                        slow("left", to),
                                        slow("behind", to),
                                        slow("right", to),
                                        slow("after", to))));
        Map<String, Integer> parallelism = parallelism();
        JsonNode history = rescales.history();
        TimedNumbers.awaitEnd(client);

        assertCompleted(status);
        assertThat(parallelism)
                .isEqualTo(Map.of("left", to, "right", to, "behind", to, "after", to));
        assertThat(history).hasSize(1);
        assertThat(status.path("parts"))
                .hasSize(4)
                .allSatisfy(SeveralOperatorsITCase::assertCompleted);
        assertThat(entered(status.path("parts").get(1), "PROVISIONING"))
                .isGreaterThanOrEqualTo(entered(status.path("parts").get(0), "COMPLETED"));
        assertThat(entered(status.path("parts").get(2), "PROVISIONING"))
                .isLessThan(entered(status.path("parts").get(0), "COMPLETED"));
        assertThat(status.path("key_groups").path("moved").asInt())
                .isEqualTo(
                        4 * status.path("parts").get(0).path("key_groups").path("moved").asInt());
        assertThat(KeptResults.of(name)).isEqualTo(expected());
    }

    @Test
    @Covers("requests: abort of a request for several operators")
    void anAbortTakesBackWhatHasCompletedToo(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "abort";
        start(cluster, name, 2, false, 0);
        Map<String, int[]> before = placements();

        String id =
                rescales.begin(
                        RescaleClient.together(
                                rescales.request("left", 3, Integer.MAX_VALUE),
                                slow("behind", 4),
                                slow("right", 3)));
        JsonNode status;
        do {
            Thread.sleep(5); // the REST API has nothing to wait for
            status = rescales.status(id);
        } while (!status.path("parts").get(0).path("phase").asText().equals("COMPLETED")
                || status.path("parts").get(1).path("key_groups").path("moved").asInt() == 0);
        assertThat(status.path("phase").asText()).isEqualTo("MIGRATING");
        JsonNode aborted = rescales.abort(id);
        JsonNode again = rescales.abort(id);
        status = rescales.await(id);
        Map<String, int[]> after = placements();
        Map<String, Integer> parallelism = parallelism();
        TimedNumbers.awaitEnd(client);

        assertThat(aborted.path("request_id").asText()).isEqualTo(id);
        assertThat(again.path("errors").get(0).path("code").asText()).isEqualTo("NOT_ABORTABLE");
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("ABORTED");
        assertThat(status.path("parts"))
                .allSatisfy(
                        part ->
                                assertThat(part.path("phase").asText())
                                        .as(part.toString())
                                        .isEqualTo("ABORTED"));
        before.forEach((vertex, owners) -> assertThat(after.get(vertex)).isEqualTo(owners));
        assertThat(parallelism).isEqualTo(Map.of("left", 2, "right", 2, "behind", 2, "after", 2));
        assertThat(KeptResults.of(name)).isEqualTo(expected());
    }

    @ParameterizedTest
    @CsvSource({"RESUME, 3", "ROLL_BACK, 2"})
    @Covers("failures: a task fails in a request for several operators")
    void aTaskFailureAmidItResumesOrRollsBackAllOfThem(
            String afterFailover, int parallelism, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "failure-" + afterFailover;
        start(cluster, name, 2, false, 1, afterFailover);

        String id =
                rescales.begin(
                        RescaleClient.together(
                                slow("left", 3), slow("behind", 3), slow("right", 3)));
        JsonNode status;
        do {
            Thread.sleep(5); // the REST API has nothing to wait for
            status = rescales.status(id);
        } while (status.path("key_groups").path("moved").asInt() < 5);
        SeveralOperators.failOnce(name, "right");
        status = rescales.await(id);
        assertThat(SeveralOperators.hasStillToFail(name, "right")).isFalse();
        awaitParallelism(
                Map.of(
                        "left", parallelism,
                        "right", parallelism,
                        "behind", parallelism,
                        "after", 2));
        assertThat(rescales.vertex("left").path("key_groups")).isNotEmpty();
        JsonNode history = rescales.history();
        TimedNumbers.awaitEnd(client);

        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("FAILED");
        assertThat(history)
                .allSatisfy(
                        rescale ->
                                assertThat(rescale.path("phase").asText())
                                        .as(rescale.toString())
                                        .isIn("FAILED", "COMPLETED"));
        // What was written after the checkpoint the job went back to comes twice.
        assertThat(KeptResults.of(name).keySet()).isEqualTo(expected().keySet());
    }

    @Test
    @Covers("failures: a task of another region fails in a rescale, which goes on")
    void aFailureOfOneRegionLeavesTheRescaleOfTheOtherAlone(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "apart";
        StreamExecutionEnvironment env = environment(2, false, 1, "RESUME");
        SeveralOperators.defineApart(env, name, NUMBERS, SLOWLY);
        submit(cluster, env, name);

        String one = rescales.begin(slow("one", 3));
        String other = rescales.begin(slow("other", 4));
        while (rescales.status(one).path("key_groups").path("moved").asInt() < 3) {
            Thread.sleep(5); // the REST API has nothing to wait for
        }
        SeveralOperators.failOnce(name, "one");
        JsonNode failed = rescales.await(one);
        JsonNode undisturbed = rescales.await(other);
        JsonNode resumed = rescales.await(one + "-after-failover-1");
        int parallelism = rescales.vertex("one").path("parallelism").asInt();
        TimedNumbers.awaitEnd(client);

        assertThat(failed.path("phase").asText()).as(failed.toString()).isEqualTo("FAILED");
        assertCompleted(undisturbed);
        assertThat(undisturbed.path("ended_at").asLong())
                .isGreaterThan(failed.path("ended_at").asLong());
        assertCompleted(resumed);
        assertThat(parallelism).isEqualTo(3);
        assertThat(KeptResults.of(name).keySet())
                .isEqualTo(SeveralOperators.expected(NUMBERS, "one", "other").keySet());
        assertThat(KeptResults.of(name))
                .allSatisfy(
                        (result, times) -> {
                            if (result.startsWith("other|")) {
                                assertThat(times).isEqualTo(1);
                            }
                        });
    }

    private static Map<String, Integer> expected() {
        return SeveralOperators.expected(NUMBERS, "right", "behind", "after");
    }

    @Test
    @Refuses("requests: several operators, all faults in one answer")
    void allFaultsOfAllOperatorsInOneAnswer(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "faults";
        start(cluster, name, 2, false, 0);
        ObjectNode request =
                RescaleClient.together(
                        slow("left", 3).put("parallelism", 9),
                        slow("right", 6).put("vertex", "nope"),
                        slow("after", 5).put("parallelism", 5),
                        slow("after", 3));
        JsonNode answer = rescales.post(request);
        JsonNode slots = rescales.post(RescaleClient.together(slow("left", 7), slow("right", 3)));
        JsonNode history = rescales.history();
        Map<String, Integer> parallelism = parallelism();
        client.cancel().get();

        Map<String, String> found = new HashMap<>();
        answer.path("errors")
                .forEach(
                        error ->
                                found.merge(
                                        error.path("code").asText(),
                                        error.path("message").asText(),
                                        (a, b) -> a + " " + b));
        assertThat(found.keySet())
                .containsOnly(
                        "ABOVE_CEILING", "UNKNOWN_VERTEX", "MALFORMED_REQUEST", "PLAN_INVALID");
        assertThat(found.get("ABOVE_CEILING")).startsWith("left: Parallelism 9");
        assertThat(found.get("UNKNOWN_VERTEX")).contains("nope");
        assertThat(found.get("MALFORMED_REQUEST")).contains("after is named more than once");
        assertThat(slots.path("errors")).hasSize(1);
        assertThat(slots.path("errors").get(0).path("message").asText())
                .startsWith(
                        "The request (left=7, right=3) needs 5 more slots, 4 are free: 1 missing");
        assertThat(history).isEmpty();
        assertThat(parallelism).isEqualTo(Map.of("left", 2, "right", 2, "behind", 2, "after", 2));
    }

    private static void assertCompleted(JsonNode status) {
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
    }

    private static long entered(JsonNode status, String phase) {
        for (JsonNode entered : status.path("phases")) {
            if (entered.path("phase").asText().equals(phase)) {
                return entered.path("at").asLong();
            }
        }
        throw new AssertionError("no phase " + phase + " in " + status);
    }

    /** Subscales of one key group each: it takes a while. */
    private ObjectNode slow(String vertex, int parallelism) throws Exception {
        return rescales.request(vertex, parallelism, 1);
    }

    private Map<String, Integer> parallelism() throws Exception {
        Map<String, Integer> parallelism = new HashMap<>();
        for (String vertex : new String[] {"left", "right", "behind", "after"}) {
            parallelism.put(vertex, rescales.vertex(vertex).path("parallelism").asInt());
        }
        return parallelism;
    }

    private Map<String, int[]> placements() throws Exception {
        Map<String, int[]> placements = new HashMap<>();
        for (String vertex : new String[] {"left", "right", "behind", "after"}) {
            placements.put(vertex, rescales.placement(vertex));
        }
        return placements;
    }

    /** Waits until each is there and no rescale is under way. */
    private void awaitParallelism(Map<String, Integer> wanted) throws Exception {
        while (!parallelism().equals(wanted) || isUnderWay()) {
            assertThat(client.getJobStatus().get().isGloballyTerminalState())
                    .as(rescales.history().toString())
                    .isFalse();
            Thread.sleep(50);
        }
    }

    private boolean isUnderWay() throws Exception {
        for (JsonNode rescale : rescales.history()) {
            if (rescale.path("ended_at").isNull()) {
                return true;
            }
        }
        return false;
    }

    private void start(
            MiniCluster cluster, String name, int parallelism, boolean unaligned, int restarts)
            throws Exception {
        start(cluster, name, parallelism, unaligned, restarts, "RESUME");
    }

    /** The job runs and has completed a checkpoint. */
    private void start(
            MiniCluster cluster,
            String name,
            int parallelism,
            boolean unaligned,
            int restarts,
            String afterFailover)
            throws Exception {
        StreamExecutionEnvironment env =
                environment(parallelism, unaligned, restarts, afterFailover);
        // Where a failover is to come, there is enough for a second attempt.
        SeveralOperators.define(env, name, NUMBERS, restarts == 0 ? PER_SECOND : SLOWLY);
        submit(cluster, env, name);
    }

    private static StreamExecutionEnvironment environment(
            int parallelism, boolean unaligned, int restarts, String afterFailover) {
        TimedNumbers.holdUntilReleased();
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", "8");
        configuration.setString("drrs.after-failover", afterFailover);
        configuration.setString("drrs.strategy.subscale-concurrency", "1");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, restarts);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(64);
        env.enableCheckpointing(200);
        env.getCheckpointConfig().enableUnalignedCheckpoints(unaligned);
        if (restarts == 0) {
            env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        }
        return env;
    }

    private void submit(MiniCluster cluster, StreamExecutionEnvironment env, String name)
            throws Exception {
        client = env.executeAsync(name);
        rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
    }
}
