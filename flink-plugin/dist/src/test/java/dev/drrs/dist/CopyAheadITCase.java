package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
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

/** Key groups of which a copy goes ahead while they are still processed where they are. */
@Timeout(600)
class CopyAheadITCase extends CleanCluster {

    private static final long NUMBERS = 200_000;
    private static final long PER_SECOND = 4_000;
    private static final int MAX_PARALLELISM = 128;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    /** With the smallest window each subscale is copied alone. */
    @Covers("state: copied ahead of its key groups")
    @ParameterizedTest
    @CsvSource({"false, 1", "true, 268435456"})
    void outputIsExactOutAndIn(
            boolean unaligned, long window, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "copied-ahead-" + unaligned;
        RunningJob job =
                CountedNumbers.start(
                        cluster, environment(unaligned, window), name, NUMBERS, PER_SECOND);

        job.rescale("count", 4);
        job.rescale("total", 3);
        job.rescale("count", 2);
        job.awaitEnd();

        CountedNumbers.assertExact(name, NUMBERS);
    }

    @Covers("state: copied ahead while checkpoints and records go on")
    @Test
    void whileACopyIsUnderWayCheckpointsGoOnAndItsKeyGroupHasNotMoved(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "copied-under-way";
        RunningJob job =
                CountedNumbers.start(cluster, environment(false, 1), name, NUMBERS, PER_SECOND);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("count", 3, Integer.MAX_VALUE);

        int key = aKeyThatMoves(request);
        int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
        int owner = rescales.placement("count")[keyGroup];
        Hold copy = HeldState.holdCopy(key);
        String id = rescales.begin(request);
        copy.awaitReached();
        job.awaitCheckpoint();
        job.awaitCheckpoint();
        JsonNode status = rescales.status(id);
        int meanwhile = rescales.placement("count")[keyGroup];
        copy.goOn();
        JsonNode end = rescales.await(id);
        job.awaitEnd();

        assertThat(status.path("phase").asText()).isEqualTo("MIGRATING");
        assertThat(meanwhile).as("owner of the key group that is copied").isEqualTo(owner);
        assertThat(end.path("phase").asText()).as(end.toString()).isEqualTo("COMPLETED");
        CountedNumbers.assertExact(name, NUMBERS);
    }

    @Covers("requests: abort while state is copied ahead")
    @Test
    void anAbortWhileACopyIsUnderWayLeavesKeyGroupsThatMayMoveAgain(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "copied-in-vain";
        RunningJob job =
                CountedNumbers.start(
                        cluster, environment(false, 268435456), name, NUMBERS, PER_SECOND);
        RescaleClient rescales = job.rescales();
        int[] before = rescales.placement("count");
        ObjectNode request = rescales.request("count", 3, Integer.MAX_VALUE);
        Hold copy = HeldState.holdCopy(aKeyThatMoves(request));
        String id = rescales.begin(request);
        copy.awaitReached();
        rescales.abort(id);
        copy.goOn();
        JsonNode end = rescales.await(id);
        assertThat(end.path("phase").asText()).as(end.toString()).isEqualTo("ABORTED");
        assertThat(rescales.placement("count")).isEqualTo(before);

        job.awaitCheckpoint();
        job.rescale("count", 4);
        job.awaitEnd();

        CountedNumbers.assertExact(name, NUMBERS);
    }

    @Covers("failures: state that fails while it is copied ahead")
    @Test
    void aFailoverWhileACopyIsUnderWayBeginsAnew(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "copied-and-failed";
        StreamExecutionEnvironment env = environment(false, 268435456);
        RescaledJob.restartOnce(env);
        RunningJob job = CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("count", 3, Integer.MAX_VALUE);
        Hold copy = HeldState.holdCopy(aKeyThatMoves(request));
        String id = rescales.begin(request);
        copy.awaitReached();
        copy.fail();
        job.awaitRestore();
        JsonNode next = rescales.await(id + "-after-failover-1");
        job.awaitEnd();

        assertThat(rescales.status(id).path("phase").asText()).isEqualTo("FAILED");
        assertThat(next.path("phase").asText()).as(next.toString()).isEqualTo("COMPLETED");
        CountedNumbers.assertExact(name, NUMBERS);
    }

    private static StreamExecutionEnvironment environment(boolean unaligned, long window) {
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        env.configure(
                Configuration.fromMap(
                        Map.of(
                                "drrs.copy-ahead", "true",
                                "drrs.copy-ahead.window", "" + window,
                                "drrs.copy-ahead.rate", "1 mb")));
        return env;
    }

    private static int aKeyThatMoves(ObjectNode request) {
        Map<Integer, Integer> keys = CountedNumbers.keysByKeyGroup(MAX_PARALLELISM);
        for (JsonNode moving : request.path("subscales").get(0).path("key_groups")) {
            if (keys.containsKey(moving.asInt())) {
                return keys.get(moving.asInt());
            }
        }
        throw new IllegalStateException("no key moves: " + request);
    }
}
