package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators with more than two keyed inputs are rescaled while they run. */
@Timeout(600)
class ManyInputsITCase extends CleanCluster {

    private static final long NUMBERS = 16_000;
    private static final long PER_SECOND = 1_600;
    private static final long LATER = 1_000_000;
    private static final Duration SILENCE = Duration.ofSeconds(4);
    private static final int TWICE = 2 * TimedNumbers.SUBTASKS;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers("job shapes: three keyed inputs, one of them a union, with timers")
    @ParameterizedTest
    @CsvSource({"1, 2, false", "2, 3, true", "2, 5, false", "3, 5, true", "5, 6, false"})
    void stateAndTimersOfThreeInputs(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "three-" + from + "-" + to;
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        RescaledJob.keep(
                name,
                SeveralInputs.many(
                        steady(env, "a"),
                        steady(env, "b").union(steady(env, "c")),
                        steady(env, "d")));

        RescaledJob.thereAndBack(cluster, env, name, to, Duration.ZERO);

        assertThat(KeptResults.of(name))
                .isEqualTo(metTogether(TimedNumbers.SUBTASKS, TWICE, TimedNumbers.SUBTASKS));
    }

    @Covers("time: three inputs, one of them far behind")
    @ParameterizedTest
    @CsvSource({"2, 3, true", "5, 2, false"})
    void anInputThatLagsHoldsEventTimeOfAll(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "many-lagging-" + from + "-" + to;
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        DataStream<Tuple2<Long, Long>> late =
                TimedNumbers.silentAtFirst(env, "b", NUMBERS, PER_SECOND, SILENCE);
        RescaledJob.keep(name, SeveralInputs.many(steady(env, "a"), late, steady(env, "c")));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

        int each = TimedNumbers.SUBTASKS;
        assertThat(KeptResults.of(name)).isEqualTo(metTogether(each, each, each));
    }

    @Covers("time: three inputs, one of them idle for a while")
    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true"})
    void anIdleInputHoldsNothing(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "many-idle-" + from + "-" + to;
        StreamExecutionEnvironment env = RescaledJob.environment(from, unaligned);
        DataStream<Tuple2<Long, Long>> later =
                TimedNumbers.idleAtFirst(env, "b", NUMBERS / 2, PER_SECOND / 2, LATER, SILENCE);
        RescaledJob.keep(name, SeveralInputs.many(steady(env, "a"), later, steady(env, "c")));

        RescaledJob.thereAndBack(cluster, env, name, to, SILENCE);

        Map<String, Integer> expected =
                metTogether(TimedNumbers.SUBTASKS, 0, TimedNumbers.SUBTASKS);
        for (long time = LATER; time < LATER + NUMBERS / 2; time++) {
            expected.put(met(time, 0, 1, 0), 1);
        }
        assertThat(KeptResults.of(name)).isEqualTo(expected);
    }

    @Covers(
            value = "failures: a failover of an operator with three inputs",
            path = {2, 5, 3})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverAfterwardsKeepsTheStateOfAllInputs(
            boolean unaligned, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "many-failover-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.restartOnce(env);
        RescaledJob.keep(name, SeveralInputs.many(slow(env, "a"), slow(env, "b"), slow(env, "c")));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.rescale("operator", 5);
        SeveralInputs.failNow();
        job.awaitRestore();
        job.rescale("operator", 3);
        job.awaitEnd();

        // The sink is not transactional: what it got since the checkpoint comes again, unchanged.
        int each = TimedNumbers.SUBTASKS;
        assertThat(KeptResults.of(name).keySet()).isEqualTo(metTogether(each, each, each).keySet());
    }

    private static Map<String, Integer> metTogether(Integer... each) {
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / TimedNumbers.SUBTASKS; time++) {
            expected.put(met(time, each), 1);
        }
        return expected;
    }

    private static String met(long time, Integer... each) {
        return ManyInputs.expected(time % SeveralInputs.KEYS, time, each);
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
