package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Operators with several inputs are rescaled while they run, and their output is exact. */
@Timeout(600)
class SeveralInputsITCase extends CleanCluster {

    private static final long NUMBERS = 20_000;
    private static final long PER_SECOND = 2_000;
    private static final long LATER = 1_000_000;
    private static final Duration SILENCE = Duration.ofSeconds(4);

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true", "4, 2, false"})
    void aUnion(int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "union-" + from + "-" + to;
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        RescaledJob.keep(name, SeveralInputs.union(steady(env, "a"), steady(env, "b")));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

        assertThat(KeptResults.of(name)).isEqualTo(metTogether(2 * TimedNumbers.SUBTASKS, 0));
    }

    @Covers("job shapes: two keyed inputs, with timers")
    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true", "4, 2, false"})
    void stateAndTimersOfTwoInputs(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "connected-" + from + "-" + to;
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        RescaledJob.keep(name, SeveralInputs.connected(steady(env, "a"), steady(env, "b")));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

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
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        DataStream<Tuple2<Long, Long>> late =
                TimedNumbers.silentAtFirst(env, "b", NUMBERS, PER_SECOND, SILENCE);
        RescaledJob.keep(name, SeveralInputs.connected(steady(env, "a"), late));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

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
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        DataStream<Tuple2<Long, Long>> later =
                TimedNumbers.idleAtFirst(env, "b", NUMBERS / 2, PER_SECOND / 2, LATER, SILENCE);
        RescaledJob.keep(name, SeveralInputs.connected(steady(env, "a"), later));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

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
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        RescaledJob.keep(name, SeveralInputs.joined(steady(env, "a"), steady(env, "b")));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

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
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.keep(
                name,
                SeveralInputs.connected(
                        TimedNumbers.steady(env, "a", numbers, numbers),
                        TimedNumbers.steady(env, "b", numbers, numbers)));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        for (int target : new int[] {5, 3, 4}) {
            rescales.awaitCheckpoints(1);
            rescales.complete("operator", target);
        }
        TimedNumbers.awaitEnd(client);

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
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        RescaledJob.keep(
                name, SeveralInputs.connectedBehindAnother(steady(env, "a"), steady(env, "b")));

        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        for (int target : new int[] {3, 5, 2, 4}) {
            rescales.awaitCheckpoints(1);
            rescales.complete("first", target);
            rescales.complete("operator", target);
        }
        TimedNumbers.awaitEnd(client);

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
        String name = "inputs-failover-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.restartOnce(env);
        RescaledJob.keep(name, SeveralInputs.connected(slow(env, "a"), slow(env, "b")));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.rescale("operator", 4);
        SeveralInputs.failNow();
        job.awaitRestore();
        job.rescale("operator", 3);
        job.awaitEnd();

        // The sink is not transactional: what it got since the checkpoint comes again, unchanged.
        assertThat(KeptResults.of(name).keySet())
                .isEqualTo(metTogether(TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS).keySet());
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

    /** There is enough of it for a second attempt. */
    private static DataStream<Tuple2<Long, Long>> slow(
            StreamExecutionEnvironment env, String name) {
        return TimedNumbers.steady(env, name, NUMBERS, PER_SECOND / 10);
    }

    private static DataStream<Tuple2<Long, Long>> steady(
            StreamExecutionEnvironment env, String name) {
        return TimedNumbers.steady(env, name, NUMBERS, PER_SECOND);
    }
}
