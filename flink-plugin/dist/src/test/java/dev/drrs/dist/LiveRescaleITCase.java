package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A running job gets more subtasks of one of its operators, through the REST API. */
@Timeout(90)
class LiveRescaleITCase {

    private static final long NUMBERS = 40_000;
    private static final long PER_SECOND = 4_000;
    private static final long POLL_MILLIS = 20; // the REST API has nothing to wait for
    private static final int HELD = 1;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(3)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    @ParameterizedTest
    @CsvSource({"count, 3, false", "count, 4, true", "total, 3, true", "total, 4, false"})
    void outputIsExactAndCheckpointsGoOn(
            String vertex, int target, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = vertex + "-to-" + target;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RunningJob job = start(cluster, env, name);

        job.rescale(vertex, target);
        job.awaitEnd();

        assertExact(name);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverKeepsTheNewSubtasksAndTheirKeyGroups(
            boolean unaligned, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "failover-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.restartOnce(env);
        RunningJob job = start(cluster, env, name);
        job.rescale("count", 4);
        int[] placement = job.rescales().placement("count");

        CountedNumbers.failOnce(name);
        job.awaitRestore();

        assertThat(CountedNumbers.hasStillToFail(name)).isFalse();
        assertThat(job.rescales().placement("count")).isEqualTo(placement).contains(2, 3);
        job.awaitEnd();
        assertExact(name);
    }

    /** The placement of the checkpoint is then neither the old nor the wanted one. */
    @Test
    void aFailoverBehindTheLastKeyGroupGoesOnFromACheckpointOfTheMigration(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "behind-the-last";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.restartOnce(env);
        // Checkpoints get stuck at the subtask that is held.
        env.configure(Configuration.fromMap(Map.of("drrs.checkpoint.patience", "500 ms")));
        RunningJob job = start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("count", 3, 1);
        request.putObject("options").put("drrs.strategy.subscale-concurrency", "1");
        int total = request.path("subscales").size();
        int ofHeld = firstThoseOf(HELD, (ArrayNode) request.path("subscales"));

        String id = rescales.begin(request);
        while (moved(rescales.status(id)) <= ofHeld) {
            Thread.sleep(POLL_MILLIS);
        }
        job.awaitCheckpoint();
        CountedNumbers.hold(name, HELD);
        assertThat(moved(rescales.status(id))).isLessThan(total);
        // It has to answer before the rescale can end.
        while (!rescales.status(id).path("phase").asText().equals("RETIRING")) {
            Thread.sleep(POLL_MILLIS);
        }
        CountedNumbers.failHeld(name);
        job.awaitRestore();
        JsonNode next = rescales.await(id + "-after-failover-1");

        assertThat(rescales.status(id).path("phase").asText()).isEqualTo("FAILED");
        assertThat(next.path("phase").asText()).as(next.toString()).isEqualTo("COMPLETED");
        assertThat(moved(next)).isStrictlyBetween(0, total - ofHeld);
        assertThat(rescales.vertex("count").path("placement")).isEqualTo(request.path("placement"));
        job.awaitEnd();
        assertExact(name);
    }

    private static int moved(JsonNode status) {
        return status.path("key_groups").path("moved").asInt();
    }

    /** Puts the subscales of this old owner first; returns how many there are. */
    private static int firstThoseOf(int oldOwner, ArrayNode subscales) {
        List<JsonNode> first = new ArrayList<>();
        List<JsonNode> others = new ArrayList<>();
        for (JsonNode subscale : subscales) {
            (subscale.path("from").asInt() == oldOwner ? first : others).add(subscale);
        }
        subscales.removeAll().addAll(first).addAll(others);
        return first.size();
    }

    private static RunningJob start(
            MiniCluster cluster, StreamExecutionEnvironment env, String name) throws Exception {
        CountedNumbers.define(env, name, NUMBERS, PER_SECOND);
        return RunningJob.start(cluster, env, name);
    }

    private static void assertExact(String name) {
        assertThat(CountedNumbers.results(name))
                .hasSize(CountedNumbers.KEYS)
                .allSatisfy(
                        (key, count) -> assertThat(count).isEqualTo(NUMBERS / CountedNumbers.KEYS));
    }
}
