package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
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

/** Operators with several inputs are rescaled while they run, and their output is exact. */
@Timeout(90)
class SeveralInputsITCase {

    private static final long NUMBERS = 20_000;
    private static final long PER_SECOND = 2_000;
    private static final long LATER = 1_000_000;
    private static final Duration SILENCE = Duration.ofSeconds(4);

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(3)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true", "4, 2, false"})
    void aUnion(int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "union-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        keep(name, SeveralInputs.union(steady(env, "a"), steady(env, "b")));

        rescaleAndFinish(cluster, env, name, to);

        assertThat(KeptResults.of(name)).isEqualTo(metTogether(2 * TimedNumbers.SUBTASKS, 0));
    }

    @Covers("job shapes: two keyed inputs, with timers")
    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true", "4, 2, false"})
    void stateAndTimersOfTwoInputs(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "connected-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        keep(name, SeveralInputs.connected(steady(env, "a"), steady(env, "b")));

        rescaleAndFinish(cluster, env, name, to);

        assertThat(KeptResults.of(name))
                .isEqualTo(metTogether(TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS));
    }

    @Covers("time: two inputs, one of them far behind")
    @ParameterizedTest
    @CsvSource({"2, 3, true", "4, 2, false"})
    void anInputThatLagsHoldsEventTimeOfBoth(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "lagging-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        DataStream<Tuple2<Long, Long>> late =
                TimedNumbers.silentAtFirst(env, "b", NUMBERS, PER_SECOND, SILENCE);
        keep(name, SeveralInputs.connected(steady(env, "a"), late));

        rescaleAndFinish(cluster, env, name, to);

        assertThat(KeptResults.of(name))
                .isEqualTo(metTogether(TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS));
    }

    @Covers("time: two inputs, one of them idle for a while")
    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, false", "4, 2, true"})
    void anIdleInputHoldsNothing(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "idle-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        DataStream<Tuple2<Long, Long>> later =
                TimedNumbers.idleAtFirst(env, "b", NUMBERS / 2, PER_SECOND / 2, LATER, SILENCE);
        keep(name, SeveralInputs.connected(steady(env, "a"), later));

        rescaleAndFinish(cluster, env, name, to);

        Map<String, Integer> expected = metTogether(TimedNumbers.SUBTASKS, 0);
        for (long time = LATER; time < LATER + NUMBERS / 2; time++) {
            expected.put(met(time, 0, 1), 1);
        }
        assertThat(KeptResults.of(name)).isEqualTo(expected);
    }

    @Covers("job shapes: an interval join")
    @ParameterizedTest
    @CsvSource({"2, 3, true", "3, 5, false", "4, 2, true"})
    void anIntervalJoin(int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "joined-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        keep(name, SeveralInputs.joined(steady(env, "a"), steady(env, "b")));

        rescaleAndFinish(cluster, env, name, to);

        long half = NUMBERS / TimedNumbers.SUBTASKS;
        Map<String, Integer> expected = new HashMap<>();
        for (long a = 0; a < NUMBERS; a++) {
            for (long step = -SeveralInputs.STEP;
                    step <= SeveralInputs.STEP;
                    step += SeveralInputs.STEP) {
                long time = a % half + step;
                for (long b = time; time >= 0 && time < half && b < NUMBERS; b += half) {
                    expected.put(a + "+" + b, 1);
                }
            }
        }
        assertThat(KeptResults.of(name)).isEqualTo(expected);
    }

    @Covers(
            value = "job shapes: two keyed inputs under back pressure",
            path = {2, 5, 3, 4})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothInputsUnderBackpressure(boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "backpressure-" + unaligned;
        long numbers = 400_000;
        StreamExecutionEnvironment env = environment(2, unaligned);
        keep(
                name,
                SeveralInputs.connected(
                        TimedNumbers.steady(env, "a", numbers, numbers),
                        TimedNumbers.steady(env, "b", numbers, numbers)));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        for (int target : new int[] {5, 3, 4}) {
            awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
            rescale(rescales, "operator", target);
        }
        client.getJobExecutionResult().get();

        assertThat(KeptResults.of(name))
                .isEqualTo(metTogether(numbers, TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS));
    }

    @Covers(
            value = "job shapes: a keyed operator before an input of another one",
            path = {2, 3, 5, 2, 4})
    @Test
    void anElasticOperatorBeforeAnInputIsRescaledToo(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "chain";
        StreamExecutionEnvironment env = environment(2, true);
        keep(name, SeveralInputs.connectedBehindAnother(steady(env, "a"), steady(env, "b")));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        for (int target : new int[] {3, 5, 2, 4}) {
            awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
            rescale(rescales, "first", target);
            rescale(rescales, "operator", target);
        }
        client.getJobExecutionResult().get();

        assertThat(KeptResults.of(name))
                .isEqualTo(metTogether(TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS));
    }

    @Covers(
            value = "failures: two keyed inputs, restored after a rescale",
            path = {2, 4, 3})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverAfterwardsKeepsTheStateOfBothInputs(
            boolean unaligned, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "failover-" + unaligned;
        StreamExecutionEnvironment env = environment(2, unaligned);
        Configuration restarts = new Configuration();
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        restarts.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        env.configure(restarts);
        keep(name, SeveralInputs.connected(steady(env, "a"), steady(env, "b")));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        awaitCheckpoints(cluster, client, 1);
        rescale(rescales, "operator", 4);
        awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
        SeveralInputs.failOnce();
        while (SeveralInputs.hasStillToFail()) {
            Thread.sleep(20);
        }
        awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
        rescale(rescales, "operator", 3);
        client.getJobExecutionResult().get();

        // The sink is not transactional: what it got since the checkpoint comes again, unchanged.
        assertThat(KeptResults.of(name).keySet())
                .isEqualTo(metTogether(TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS).keySet());
    }

    @Refuses("job shapes: a rescale after the end of one of the inputs")
    @Test
    void afterTheEndOfOneInputARescaleIsRefusedAndTheJobGoesOn(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ended";
        long few = 2_000;
        StreamExecutionEnvironment env = environment(2, false);
        DataStream<Tuple2<Long, Long>> shorter = TimedNumbers.steady(env, "b", few, PER_SECOND);
        keep(name, SeveralInputs.connected(steady(env, "a"), shorter));

        JobClient client = env.executeAsync(name);
        while (!hasFinished(cluster, client, "Source: b")) {
            Thread.sleep(50);
        }
        RescaleClient rescales = new RescaleClient(cluster, client);
        assertThatThrownBy(() -> rescales.rescale("operator", 3))
                .hasMessageContaining("JOB_NOT_RUNNING")
                .hasMessageContaining("Source: b")
                .hasMessageContaining("FINISHED");
        client.getJobExecutionResult().get();

        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / TimedNumbers.SUBTASKS; time++) {
            boolean both = time < few / TimedNumbers.SUBTASKS;
            expected.put(met(time, TimedNumbers.SUBTASKS, both ? TimedNumbers.SUBTASKS : 0), 1);
        }
        assertThat(KeptResults.of(name)).isEqualTo(expected);
    }

    @Refuses("job shapes: a broadcast input")
    @Test
    void aBroadcastInputIsRefusedByName(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "broadcast";
        StreamExecutionEnvironment env = environment(2, false);
        keep(name, SeveralInputs.broadcast(steady(env, "a"), steady(env, "b")));

        JobClient client = env.executeAsync(name);
        awaitCheckpoints(cluster, client, 1);
        JsonNode vertex = new RescaleClient(cluster, client).vertex("operator");
        client.cancel().get();

        assertThat(vertex.path("supported").asBoolean()).isFalse();
        assertThat(vertex.path("reason").asText()).contains("Source: b").contains("broadcast");
    }

    private static boolean hasFinished(MiniCluster cluster, JobClient client, String vertex)
            throws Exception {
        AccessExecutionGraph graph = cluster.getExecutionGraph(client.getJobID()).get();
        for (AccessExecutionJobVertex each : graph.getVerticesTopologically()) {
            if (each.getName().equals(vertex)) {
                return each.getAggregateState() == ExecutionState.FINISHED;
            }
        }
        return false;
    }

    /** Each time of both halves' numbers, with how many of either input meet there. */
    private static Map<String, Integer> metTogether(int first, int second) {
        return metTogether(NUMBERS, first, second);
    }

    private static Map<String, Integer> metTogether(long numbers, int first, int second) {
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < numbers / TimedNumbers.SUBTASKS; time++) {
            expected.put(met(time, first, second), 1);
        }
        return expected;
    }

    private static String met(long time, int first, int second) {
        return MetByTime.expected(time % SeveralInputs.KEYS, time, first, second);
    }

    private static DataStream<Tuple2<Long, Long>> steady(
            StreamExecutionEnvironment env, String name) {
        return TimedNumbers.steady(env, name, NUMBERS, PER_SECOND);
    }

    private static void keep(String job, DataStream<String> results) {
        results.sinkTo(new KeptResults(job)).name("sink").setParallelism(1);
    }

    private static StreamExecutionEnvironment environment(int parallelism, boolean unaligned) {
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", "5");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.enableCheckpointing(200);
        env.getCheckpointConfig().enableUnalignedCheckpoints(unaligned);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        return env;
    }

    /**
     * Rescales there and back and there again, with a checkpoint after each; the last one begins
     * when all inputs have spoken. The job then runs to its end.
     */
    private static void rescaleAndFinish(
            MiniCluster cluster, StreamExecutionEnvironment env, String name, int parallelism)
            throws Exception {
        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        int other = env.getParallelism();
        long begin = System.nanoTime();
        for (int target : new int[] {parallelism, other, parallelism, other}) {
            awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
            rescale(rescales, "operator", target);
        }
        while (System.nanoTime() - begin < SILENCE.toNanos()) {
            Thread.sleep(50); // a time span is what is waited for
        }
        awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
        rescale(rescales, "operator", parallelism);
        awaitCheckpoints(cluster, client, completed(cluster, client) + 1);
        client.getJobExecutionResult().get();
    }

    private static void rescale(RescaleClient rescales, String vertex, int parallelism)
            throws Exception {
        JsonNode status = rescales.rescale(vertex, parallelism);
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
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
