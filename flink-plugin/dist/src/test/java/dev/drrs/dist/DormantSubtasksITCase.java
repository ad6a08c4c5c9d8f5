package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.taskexecutor.TaskExecutor;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two elastic operators in a row, each with two active subtasks of four, before anything is
 * rescaled.
 */
@Timeout(600)
class DormantSubtasksITCase extends CleanCluster {

    private static final int CEILING = 4;
    private static final int ACTIVE = 2;
    private static final long NUMBERS = 20_000;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 2);

    /** How barriers travel. */
    enum Barriers {
        ALIGNED,
        UNALIGNED,
        AT_LEAST_ONCE
    }

    @ParameterizedTest
    @EnumSource
    void boundedJobTakesCheckpointsEndsByItselfAndIsExact(
            Barriers barriers, @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "dormant-" + barriers;
        JobClient client = submit(name, barriers, 5_000);
        new RescaleClient(cluster, client).awaitCheckpoints(4);

        TimedNumbers.awaitEnd(client);

        AccessExecutionGraph graph = cluster.getExecutionGraph(client.getJobID()).get();
        assertThat(graph.getState()).isEqualTo(JobStatus.FINISHED);
        assertThat(graph.getCheckpointStatsSnapshot().getCounts().getNumberOfCompletedCheckpoints())
                .isGreaterThan(3);
        CountedNumbers.assertExact(name, NUMBERS);
        awaitNoResultPartition(cluster);
    }

    /**
     * Every result partition of the job is gone, also those with subpartitions that nobody ever
     * consumed.
     */
    private static void awaitNoResultPartition(MiniCluster cluster) throws Exception {
        for (Object taskManager : (List<?>) field(cluster, MiniCluster.class, "taskManagers")) {
            ShuffleEnvironment<?, ?> shuffle =
                    (ShuffleEnvironment<?, ?>)
                            field(taskManager, TaskExecutor.class, "shuffleEnvironment");
            // The job is reported as finished before its TaskManagers have cleaned up; nothing
            // tells when they have.
            while (!shuffle.getPartitionsOccupyingLocalResources().isEmpty()) {
                Thread.sleep(20);
            }
        }
    }

    private static Object field(Object object, Class<?> type, String name)
            throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    @Test
    void onlyActiveSubtasksAreDeployed(@InjectMiniCluster MiniCluster cluster) throws Exception {
        JobClient client = submit("dormant-states", Barriers.ALIGNED, 5_000);

        AccessExecutionGraph graph;
        do {
            // The graph of the REST API is polled: Flink announces no such moment to clients.
            Thread.sleep(50);
            graph = cluster.getExecutionGraph(client.getJobID()).get();
            if (graph.getState().isGloballyTerminalState()) {
                TimedNumbers.awaitEnd(client);
            }
        } while (graph.getCheckpointStatsSnapshot() == null
                || graph.getCheckpointStatsSnapshot().getCounts().getNumberOfCompletedCheckpoints()
                        < 1);
        // A subtask that is deployed has a thread of its name.
        List<String> deployed =
                Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.matches("(count|total) .*#0"))
                        .toList();
        TimedNumbers.awaitEnd(client);

        assertThat(deployed)
                .containsExactlyInAnyOrder(
                        "count (1/4)#0", "count (2/4)#0", "total (1/4)#0", "total (2/4)#0");
    }

    private static JobClient submit(String name, Barriers barriers, long perSecond)
            throws Exception {
        TimedNumbers.holdUntilReleased();
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", String.valueOf(CEILING));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(ACTIVE);
        env.enableCheckpointing(
                200,
                barriers == Barriers.AT_LEAST_ONCE
                        ? CheckpointingMode.AT_LEAST_ONCE
                        : CheckpointingMode.EXACTLY_ONCE);
        env.getCheckpointConfig().enableUnalignedCheckpoints(barriers == Barriers.UNALIGNED);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        env.configure(
                new Configuration()
                        .set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofSeconds(20)));
        CountedNumbers.define(env, name, NUMBERS, TimedNumbers.paced(NUMBERS, perSecond));
        return env.executeAsync(name);
    }
}
