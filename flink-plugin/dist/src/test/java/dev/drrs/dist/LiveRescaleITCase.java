package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A running job gets more subtasks of one of its operators, through the REST API. */
@Timeout(600)
class LiveRescaleITCase extends CleanCluster {

    /** Enough for the longest test; the rest comes at once when the job may end. */
    private static final long NUMBERS = 200_000;

    private static final long PER_SECOND = 4_000;
    private static final int MAX_PARALLELISM = 128;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @ParameterizedTest
    @CsvSource({"count, 3, false", "count, 4, true", "total, 3, true", "total, 4, false"})
    void outputIsExactAndCheckpointsGoOn(
            String vertex, int target, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = vertex + "-to-" + target;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RunningJob job = CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);

        job.rescale(vertex, target);
        job.awaitEnd();

        CountedNumbers.assertExact(name, NUMBERS);
    }

    @Test
    void theStatusSaysHowLongOwnersWereKeptFromTheirRecords(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "mails";
        RunningJob job =
                CountedNumbers.start(
                        cluster, RescaledJob.environment(2, false), name, NUMBERS, PER_SECOND);

        JsonNode status = job.rescales().rescale("count", 3);

        Map<String, JsonNode> mails = new HashMap<>();
        status.path("mails").forEach(one -> mails.put(one.path("kind").asText(), one));
        assertThat(mails)
                .as(status.toString())
                .containsKeys("CheckKeys", "OpenWriter", "Start", "elements of a peer exchange")
                .allSatisfy(
                        (kind, one) -> {
                            assertThat(one.path("count").asLong()).isPositive();
                            assertThat(one.path("p99_us").asLong())
                                    .isLessThanOrEqualTo(one.path("max_us").asLong());
                        });
        assertThat(status.path("gc_pauses"))
                .as(status.toString())
                .isNotEmpty()
                .allSatisfy(
                        one -> {
                            assertThat(one.path("task_manager").asText()).isNotEmpty();
                            assertThat(one.path("longest_ms").asLong())
                                    .isLessThanOrEqualTo(one.path("total_ms").asLong());
                        });
        JsonNode waits = status.path("waits");
        int subscales = status.path("subscales").path("done").asInt();
        assertThat(List.of("propagation", "alignment", "turn"))
                .as(status.toString())
                .allSatisfy(
                        wait ->
                                assertThat(waits.path(wait).path("count").asInt())
                                        .isEqualTo(subscales));
        assertThat(waits.path("dependency").path("count"))
                .isEqualTo(status.path("key_groups").path("moved"));
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverKeepsTheNewSubtasksAndTheirKeyGroups(
            boolean unaligned, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "failover-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.restartOnce(env);
        env.configure(Configuration.fromMap(Map.of("drrs.provisioning.check-heap", "false")));
        RunningJob job = CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
        job.rescale("count", 4);
        int[] placement = job.rescales().placement("count");

        CountedNumbers.failOnce(name);
        job.awaitRestore();

        assertThat(CountedNumbers.hasStillToFail(name)).isFalse();
        assertThat(job.rescales().placement("count")).isEqualTo(placement).contains(2, 3);
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    /** What waits for a checkpoint when the rescale is over must not begin afterwards. */
    @Covers("requests: abort of a rescale that waits for a checkpoint")
    @Test
    void checkpointsGoOnAfterARescaleWasWithdrawnThatWaitedForOne(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "withdrawn";
        StreamExecutionEnvironment env = RescaledJob.environment(1, false);
        TimedNumbers.steady(env, "beside", NUMBERS, PER_SECOND)
                .map(new Standing())
                .sinkTo(new DiscardingSink<>());
        RunningJob job = CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
        RescaleClient rescales = job.rescales();
        FlinkRest rest = new FlinkRest(cluster, job.client());
        int free = rest.get("/overview").path("slots-available").asInt();

        Hold checkpoint = Standing.hold();
        checkpoint.awaitReached();
        job.awaitPendingCheckpoint();
        for (int i = 0; i < 5; i++) { // it asks for its section soon after it has got its slots
            String id = rescales.begin(rescales.request("total", 4, Integer.MAX_VALUE));
            while (rest.get("/overview").path("slots-available").asInt() == free) {
                assertThat(rescales.status(id).path("phase").asText()).isEqualTo("PROVISIONING");
            }
            rescales.abort(id);
            assertThat(rescales.await(id).path("phase").asText()).isEqualTo("ABORTED");
        }
        checkpoint.goOn();
        job.awaitCheckpoint();
        job.awaitCheckpoint();
        job.rescale("total", 3);
        job.awaitEnd();

        CountedNumbers.assertExact(name, NUMBERS);
    }

    /** Stands still once, in a pipeline of its own. */
    private static final class Standing implements MapFunction<Tuple2<Long, Long>, Long> {
        private static final AtomicReference<Hold> HOLD = new AtomicReference<>();

        static Hold hold() {
            Hold hold = new Hold();
            HOLD.set(hold);
            return hold;
        }

        @Override
        public Long map(Tuple2<Long, Long> number) {
            Hold hold = HOLD.getAndSet(null);
            if (hold != null) {
                hold.stand();
            }
            return number.f0;
        }
    }

    /** What is left to do can be told from the restored placement only. */
    @Test
    void aFailoverBehindTheLastKeyGroupLeadsToTheWantedPlacement(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "behind-the-last";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.restartOnce(env);
        // Checkpoints get stuck at the subtask that is held, and state on its way without a copy.
        env.configure(
                Configuration.fromMap(
                        Map.of("drrs.checkpoint.patience", "500 ms", "drrs.copy-ahead", "false")));
        RunningJob job = CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("count", 3, 1);
        request.putObject("options").put("drrs.strategy.subscale-concurrency", "1");
        List<Integer> keysOf0 = ofOldOwner0Last((ArrayNode) request.path("subscales"));

        Hold migration = HeldState.hold(keysOf0.get(keysOf0.size() - 2));
        String id = rescales.begin(request);
        migration.awaitReached();
        // It has given all it had to give, but has to answer before the rescale can end.
        Hold oldOwner1 = CountedNumbers.hold(name, 1);
        oldOwner1.awaitReached();
        migration.goOn();
        rescales.awaitPhase(id, "RETIRING");
        oldOwner1.fail();
        job.awaitRestore();
        JsonNode next = rescales.await(id + "-after-failover-1");

        assertThat(rescales.status(id).path("phase").asText()).isEqualTo("FAILED");
        assertThat(next.path("phase").asText()).as(next.toString()).isEqualTo("COMPLETED");
        assertThat(next.path("key_groups").path("moved").asInt()).isPositive();
        assertThat(rescales.vertex("count").path("placement")).isEqualTo(request.path("placement"));
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    /**
     * Orders subscales of one key group each: those of old owner 0 that have a key come last.
     *
     * @return a key of each of these
     */
    private static List<Integer> ofOldOwner0Last(ArrayNode subscales) {
        Map<Integer, Integer> keys = CountedNumbers.keysByKeyGroup(MAX_PARALLELISM);
        List<JsonNode> first = new ArrayList<>();
        List<JsonNode> last = new ArrayList<>();
        List<Integer> keysOfLast = new ArrayList<>();
        for (JsonNode subscale : subscales) {
            Integer key = keys.get(subscale.path("key_groups").get(0).asInt());
            if (subscale.path("from").asInt() == 0 && key != null) {
                last.add(subscale);
                keysOfLast.add(key);
            } else {
                first.add(subscale);
            }
        }
        subscales.removeAll().addAll(first).addAll(last);
        return keysOfLast;
    }
}
