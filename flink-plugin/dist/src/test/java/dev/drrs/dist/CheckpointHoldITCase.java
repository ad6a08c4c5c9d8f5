package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Periodic checkpoints that are always due are held back while key groups move. */
@Timeout(600)
class CheckpointHoldITCase extends CleanCluster {

    private static final long NUMBERS = 200_000;
    private static final long PER_SECOND = 4_000;
    private static final int MAX_PARALLELISM = 128;
    private static final int INTERVAL_MILLIS = 10;
    private static final long POLL_MILLIS = 20; // the REST API has nothing to wait for

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    /**
     * The only key group that leaves subtask 0 is on its way, so a checkpoint that was due would
     * wait for it, and those of subtask 1 for the checkpoint.
     */
    @Covers("checkpoints: held back while key groups move")
    @Test
    void allOtherKeyGroupsMoveWhileACheckpointIsDue(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "held-checkpoints";
        RunningJob job = start(cluster, name);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("count", 4, 1);
        request.putObject("options")
                .put("drrs.strategy.subscale-concurrency", "2")
                .put("drrs.strategy.warm-up", "0");
        Hold migration = HeldState.hold(onlyOneLeaves0(request));
        int subscales = request.path("subscales").size();
        String id = rescales.begin(request);
        migration.awaitReached();
        long before = rescales.completedCheckpoints();
        JsonNode status;
        do {
            Thread.sleep(POLL_MILLIS);
            status = rescales.status(id);
        } while (status.path("subscales").path("done").asInt() < subscales - 1);
        assertThat(rescales.completedCheckpoints()).isEqualTo(before);
        migration.goOn();
        status = rescales.await(id);

        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        assertThat(status.path("checkpoint_hold_ms").asLong()).isPositive();
        job.awaitCheckpoint(); // they go on
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    @Covers("checkpoints: asked for while periodic ones are held back")
    @Test
    void aCheckpointThatIsAskedForIsTakenWhileKeyGroupsMove(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "asked-for-checkpoint";
        RunningJob job = start(cluster, name);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("count", 4, 1);
        request.putObject("options").put("drrs.strategy.subscale-concurrency", "1");
        Set<Integer> keys = movingKeys(request);
        int first = keys.iterator().next();
        int last = keys.stream().reduce((one, next) -> next).orElseThrow();

        Hold early = HeldState.hold(first);
        Hold late = HeldState.hold(last);
        String id = rescales.begin(request);
        early.awaitReached();
        CompletableFuture<Long> asked =
                cluster.triggerCheckpoint(job.id(), CheckpointType.CONFIGURED);
        early.goOn(); // dozens of subscales lie between the two holds
        long checkpoint = asked.get();

        assertThat(checkpoint).isPositive();
        assertThat(rescales.status(id).path("phase").asText()).isEqualTo("MIGRATING");
        late.goOn();
        JsonNode status = rescales.await(id);
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    private static RunningJob start(MiniCluster cluster, String name) throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.configure(Configuration.fromMap(Map.of("drrs.checkpoint.hold", "10 min")));
        env.enableCheckpointing(INTERVAL_MILLIS);
        return CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
    }

    /**
     * All others of subtask 0 stay where they are.
     *
     * @return a key of it
     */
    private static int onlyOneLeaves0(ObjectNode request) {
        int moving = movingKeys(request).iterator().next();
        int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(moving, MAX_PARALLELISM);
        ArrayNode placement = (ArrayNode) request.path("placement");
        List<JsonNode> left = new ArrayList<>();
        for (JsonNode subscale : request.path("subscales")) {
            int its = subscale.path("key_groups").get(0).asInt();
            if (subscale.path("from").asInt() != 0 || its == keyGroup) {
                left.add(subscale);
            } else {
                placement.set(its, 0);
            }
        }
        assertThat(left).as("the first subscales are of subtask 0").hasSizeGreaterThan(1);
        request.putArray("subscales").addAll(left);
        return moving;
    }

    /** A key for each subscale of one key group that has one, in the order of the request. */
    private static Set<Integer> movingKeys(JsonNode request) {
        Map<Integer, Integer> keys = CountedNumbers.keysByKeyGroup(MAX_PARALLELISM);
        Set<Integer> moving = new LinkedHashSet<>();
        for (JsonNode subscale : request.path("subscales")) {
            Integer key = keys.get(subscale.path("key_groups").get(0).asInt());
            if (key != null) {
                moving.add(key);
            }
        }
        return moving;
    }
}
