package dev.drrs.dist;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** How the jobs of these tests are set up and rescaled: the elastic operator is "operator". */
final class RescaledJob {

    static final int CEILING = 6;

    private static final int CHECKPOINT_MILLIS = 200;
    private static final Set<ExecutionState> STARTING =
            EnumSet.of(ExecutionState.DEPLOYING, ExecutionState.INITIALIZING);
    private static final Duration RESTART_DELAY = Duration.ofMillis(100);
    private static final long POLL_MILLIS = 50;

    private RescaledJob() {}

    /** No failure is tolerated, neither of a task nor of a checkpoint. */
    static StreamExecutionEnvironment environment(int parallelism, boolean unaligned) {
        TimedNumbers.holdUntilReleased();
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", String.valueOf(CEILING));
        // The job before may still be giving back its slots: ask for them, and wait.
        configuration.setString("drrs.provisioning.check-slots", "false");
        // They are to fall between key groups that move; CheckpointHoldITCase has them held.
        configuration.setString("drrs.checkpoint.hold", "0 s");
        configuration.setString("drrs.operators.trusted", ManyInputs.class.getName());
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.enableCheckpointing(CHECKPOINT_MILLIS);
        env.getCheckpointConfig().enableUnalignedCheckpoints(unaligned);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        return env;
    }

    static void restartOnce(StreamExecutionEnvironment env) {
        Configuration restarts = new Configuration();
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
        env.configure(restarts);
    }

    /** As {@link #restartOnce}, with the strategy that Flink takes for a job with checkpoints. */
    static void restartOnceByDefault(StreamExecutionEnvironment env) {
        Configuration restarts = new Configuration();
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        restarts.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
                RESTART_DELAY);
        restarts.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
                RESTART_DELAY);
        restarts.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS, 1);
        env.configure(restarts);
    }

    /** Lets the job's results be kept under its name, which no other job of this JVM may have. */
    static void keep(String job, DataStream<String> results) {
        if (!KeptResults.of(job).isEmpty()) {
            throw new IllegalStateException("another job of this JVM was named " + job);
        }
        results.sinkTo(new KeptResults(job)).name("sink").setParallelism(1);
    }

    /**
     * Rescales there and back and there again, with a checkpoint after each; the last one begins
     * when this much time has passed. The job then runs to its end.
     */
    static void thereAndBack(
            MiniCluster cluster,
            StreamExecutionEnvironment env,
            String name,
            int parallelism,
            Duration lastAfter)
            throws Exception {
        JobClient client = env.executeAsync(name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        int other = env.getParallelism();
        long begin = System.nanoTime();
        for (int target : new int[] {parallelism, other}) {
            rescales.awaitCheckpoints(1);
            rescales.complete("operator", target);
        }
        while (System.nanoTime() - begin < lastAfter.toNanos()) {
            Thread.sleep(POLL_MILLIS); // a time span is what is waited for
        }
        rescales.awaitCheckpoints(1);
        rescales.complete("operator", parallelism);
        rescales.awaitCheckpoints(1);
        TimedNumbers.awaitEnd(client);
    }

    /**
     * Waits until all subtasks of a vertex have come to their end and no other one still starts.
     */
    static void awaitEndOf(MiniCluster cluster, JobClient client, String vertex) throws Exception {
        while (state(cluster, client, vertex) != ExecutionState.FINISHED
                || starts(cluster, client)) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /**
     * All tasks of a streaming job are deployed together, so a task that ran had the others beside
     * it.
     */
    private static boolean starts(MiniCluster cluster, JobClient client) throws Exception {
        for (AccessExecutionVertex task :
                cluster.getExecutionGraph(client.getJobID()).get().getAllExecutionVertices()) {
            if (STARTING.contains(task.getExecutionState())) {
                return true;
            }
        }
        return false;
    }

    private static ExecutionState state(MiniCluster cluster, JobClient client, String vertex)
            throws Exception {
        for (AccessExecutionJobVertex each :
                cluster.getExecutionGraph(client.getJobID()).get().getVerticesTopologically()) {
            if (each.getName().equals(vertex)) {
                return each.getAggregateState();
            }
        }
        return null; // a job that is being set up has no vertices yet
    }
}
