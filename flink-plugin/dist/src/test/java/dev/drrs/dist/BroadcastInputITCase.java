package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators with a keyed and a broadcast input are rescaled while both flow. */
@Timeout(600)
class BroadcastInputITCase extends CleanCluster {

    private static final long NUMBERS = 16_000;
    private static final long PER_SECOND = 1_600;
    private static final long RULES = 4_000;
    private static final long RULES_PER_SECOND = 400;
    private static final long RULE_MILLIS = 20;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers("job shapes: a broadcast input beside the keyed one, with applyToKeyedState")
    @ParameterizedTest
    @CsvSource({"1, 2, false", "2, 3, true", "2, 5, false", "3, 5, true", "5, 6, false"})
    void everyKeyIsShownEveryRuleOnce(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "rules-" + from + "-" + to;
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        RescaledJob.keep(
                name,
                BroadcastRules.of(
                        TimedNumbers.steady(env, "a", NUMBERS, PER_SECOND),
                        TimedNumbers.steady(env, "b", RULES, RULES_PER_SECOND)));

        RescaledJob.thereAndBack(cluster, env, name, to, Duration.ZERO);

        assertThat(KeptResults.of(name)).isEqualTo(expected(NUMBERS, RULES));
    }

    /** Checkpoints would wait for the rules as well, so there are none. */
    @Covers("job shapes: a broadcast input that has ended and is not read to its end everywhere")
    @Test
    void rulesThatOneSubtaskHasStillToReadWhenTheirSourceHasEnded(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "rules-behind";
        long numbers = 12_000;
        long rules = 200;
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.getCheckpointConfig().disableCheckpointing();
        RescaledJob.keep(
                name,
                BroadcastRules.of(
                        TimedNumbers.steady(env, "a", numbers, PER_SECOND),
                        TimedNumbers.ending(env, "b", rules, rules * 1_000),
                        RULE_MILLIS));

        JobClient client = env.executeAsync(name);
        RescaledJob.awaitEndOf(cluster, client, "Source: b");
        new RescaleClient(cluster, client).complete("operator", 4);
        TimedNumbers.awaitEnd(client);

        assertThat(KeptResults.of(name)).isEqualTo(expected(numbers, rules));
    }

    /** More rules come than fit into the network buffers while they wait. */
    @Covers(
            value = "job shapes: a broadcast input under back pressure",
            path = {2, 5, 3})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothInputsUnderBackpressure(boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "rules-backpressure-" + unaligned;
        long numbers = 60_000;
        long rules = 30_000;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.keep(
                name,
                BroadcastRules.of(
                        TimedNumbers.steady(env, "a", numbers, numbers),
                        TimedNumbers.steady(env, "b", rules, rules)));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
        // One only: its barrier waits behind the rules that queue, and the data is finite.
        rescales.complete("operator", 5);
        TimedNumbers.awaitEnd(client);

        assertThat(KeptResults.of(name)).isEqualTo(expected(numbers, rules));
    }

    @Covers(
            value = "failures: a failover of an operator with a broadcast input",
            path = {2, 5, 3})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverAfterwardsKeepsTheRulesOfAllSubtasks(
            boolean unaligned, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "rules-failover-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.restartOnce(env);
        RescaledJob.keep(
                name,
                BroadcastRules.of(
                        TimedNumbers.steady(env, "a", NUMBERS, PER_SECOND / 10),
                        TimedNumbers.steady(env, "b", RULES, RULES_PER_SECOND / 10)));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.rescale("operator", 5);
        SeveralInputs.failNow();
        job.awaitRestore();
        job.rescale("operator", 3);
        job.awaitEnd();

        // The sink is not transactional: what it got since the checkpoint comes again, unchanged.
        assertThat(KeptResults.of(name).keySet()).isEqualTo(expected(NUMBERS, RULES).keySet());
    }

    @Refuses("job shapes: a broadcast input and a keyed one from the same task")
    @Test
    void oneSourceOfBothInputsIsRefusedByName(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "rules-same-source";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<Tuple2<Long, Long>> both = TimedNumbers.steady(env, "both", 2_000, PER_SECOND);
        RescaledJob.keep(name, BroadcastRules.of(both, both));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
        assertThatThrownBy(() -> rescales.rescale("operator", 3))
                .hasMessageContaining("NOT_SUPPORTED")
                .hasMessageContaining("Source: both")
                .hasMessageContaining("broadcast");
        TimedNumbers.awaitEnd(client);

        assertThat(KeptResults.of(name)).isEqualTo(expected(2_000, 2_000));
    }

    private static Map<String, Integer> expected(long numbers, long rules) {
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < numbers / TimedNumbers.SUBTASKS; time++) {
            expected.put(
                    MetByTime.expected(time % SeveralInputs.KEYS, time, TimedNumbers.SUBTASKS, 0),
                    1);
        }
        for (int key = 0; key < SeveralInputs.KEYS; key++) {
            expected.put(BroadcastRules.expected(key, numbers / SeveralInputs.KEYS, rules), 1);
        }
        return expected;
    }
}
