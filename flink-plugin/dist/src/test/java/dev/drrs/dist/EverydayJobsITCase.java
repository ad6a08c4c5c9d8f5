package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Things that jobs do and that were not thought of at first. */
@Timeout(600)
class EverydayJobsITCase extends CleanCluster {

    private static final long NUMBERS = 48_000;
    private static final long PER_SECOND = 4_000;
    private static final int[] WALK = {4, 2, 5, 3};

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers("time: timers at or below the present event time")
    @Test
    void aTimerAtThePresentTimeFiresWithTheNextWatermark(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "pairs";
        long pairs = 30_000;
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.keep(name, PairsByTimer.of(env, pairs, 6_000));

        walk(cluster, env, name);

        Map<String, Integer> expected = new HashMap<>();
        for (long pair = 0; pair < pairs; pair++) {
            expected.put(PairsByTimer.expected(pair), 1);
        }
        assertThat(KeptResults.difference(name, expected)).isEmpty();
    }

    @Covers("state: registered at its first use")
    @Test
    void stateThatIsRegisteredAtItsFirstUse(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "late-state";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.keep(
                name,
                LateState.inProcess(TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND)));

        walk(cluster, env, name);

        assertThat(KeptResults.difference(name, LateState.expected(NUMBERS))).isEmpty();
    }

    @Covers("state: global state of a window function, registered at its first use")
    @Test
    void globalStateOfAWindowFunction(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "late-window-state";
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        RescaledJob.keep(
                name,
                LateState.inWindows(TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND)));

        walk(cluster, env, name);

        Map<String, Integer> expected = new HashMap<>();
        long half = NUMBERS / TimedNumbers.SUBTASKS;
        long each = TimedNumbers.SUBTASKS * LateState.WINDOW / LateState.KEYS;
        for (long key = 0; key < LateState.KEYS; key++) {
            for (long window = 1; window <= half / LateState.WINDOW; window++) {
                expected.put(key + " window " + window + ": " + each, 1);
            }
        }
        assertThat(KeptResults.difference(name, expected)).isEmpty();
    }

    @Covers(
            value = "checkpoints: several at a time, without a pause, in a scale-in",
            path = {2, 4, 2, 5, 3})
    @Test
    void checkpointsThatOverlap(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "overlapping";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        Configuration checkpoints = new Configuration();
        checkpoints.set(CheckpointingOptions.MAX_CONCURRENT_CHECKPOINTS, 3);
        checkpoints.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
        env.configure(checkpoints);
        RescaledJob.keep(
                name,
                LateState.inProcess(TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND)));

        walk(cluster, env, name);

        assertThat(KeptResults.of(name)).hasSize((int) NUMBERS);
    }

    private static void walk(MiniCluster cluster, StreamExecutionEnvironment env, String name)
            throws Exception {
        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : WALK) {
            job.rescale("operator", target);
        }
        job.awaitEnd();
    }
}
