package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The largest number of key groups that Flink has. */
@Timeout(600)
class ManyKeyGroupsITCase extends CleanCluster {

    private static final int KEY_GROUPS = 32_768;
    private static final int SUBSCALES = 3;

    /** Each has an entry for each key group. */
    private static final int CHECKPOINT_MILLIS = 1_000;

    private static final long NUMBERS = 200_000;
    private static final long PER_SECOND = 1_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 2);

    @Covers("state: 32 768 key groups, with a failover")
    @Test
    void aRescaleAndAFailoverAreExactAndTheCostIsSaid(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "many-key-groups";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.setMaxParallelism(KEY_GROUPS);
        env.enableCheckpointing(CHECKPOINT_MILLIS);
        RescaledJob.restartOnce(env);
        CountedNumbers.define(env, name, NUMBERS, TimedNumbers.paced(NUMBERS, PER_SECOND));
        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        assertThat(rescales.vertex("count").path("warnings").toString())
                .contains("count has 32768 key groups", "pipeline.max-parallelism");

        JsonNode out = rescales.await(rescales.begin(someTo2(rescales)));
        assertThat(out.path("phase").asText()).as(out.toString()).isEqualTo("COMPLETED");
        int[] placement = rescales.placement("count");
        job.awaitCheckpoint();
        CountedNumbers.failOnce(name);
        job.awaitRestore();
        assertThat(CountedNumbers.hasStillToFail(name)).isFalse();
        assertThat(rescales.placement("count")).isEqualTo(placement).contains(2);
        job.awaitEnd();

        CountedNumbers.assertExact(name, NUMBERS);
    }

    /** Every hundredth key group, in a few subscales. */
    private static ObjectNode someTo2(RescaleClient rescales) throws Exception {
        int[] owners = rescales.placement("count");
        ObjectNode request = JSON.createObjectNode();
        request.put("vertex", "count").put("parallelism", 3);
        ArrayNode placement = request.putArray("placement");
        ArrayNode subscales = request.putArray("subscales");
        for (int from = 0; from < 2; from++) {
            for (int i = 0; i < SUBSCALES; i++) {
                subscales.addObject().put("from", from).put("to", 2).putArray("key_groups");
            }
        }
        for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
            boolean moves = keyGroup % 100 == 0;
            placement.add(moves ? 2 : owners[keyGroup]);
            if (moves) {
                int part = SUBSCALES * owners[keyGroup] + keyGroup / 100 % SUBSCALES;
                ((ArrayNode) subscales.get(part).path("key_groups")).add(keyGroup);
            }
        }
        return request;
    }
}
