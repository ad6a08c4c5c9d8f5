package dev.drrs.gateway;

import dev.drrs.gateway.shapes.ShapeJob;
import dev.drrs.nexmark.NexmarkJob;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** A JobManager and TaskManagers in this JVM, for a test in another process. Called over py4j. */
public final class OneJvmCluster implements AutoCloseable {

    private final MiniCluster cluster;

    /**
     * Starts the cluster.
     *
     * @param options Flink options for all of it
     * @throws Exception if it does not come up
     */
    public OneJvmCluster(int taskManagers, int slots, Map<String, String> options) throws Exception {
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration(options))
                                .setNumTaskManagers(taskManagers)
                                .setNumSlotsPerTaskManager(slots)
                                .build());
        cluster.start();
    }

    /** Host and port of the JobManager's REST, once it answers. */
    public String restAddress() throws Exception {
        return cluster.getRestAddress().get().getAuthority();
    }

    /**
     * Submits a Nexmark job.
     *
     * @param options Flink options for this job
     * @param arguments those of {@link NexmarkJob}
     * @return the job's id, once it is accepted
     */
    public String submit(Map<String, String> options, List<String> arguments) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(options));
        String name = NexmarkJob.build(environment, arguments.toArray(String[]::new));
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName(name);
        return cluster.submitJob(graph.getJobGraph()).get().getJobID().toString();
    }

    /**
     * Submits {@link CountedBids}.
     *
     * @param options Flink options for this job
     * @param given see there
     * @return the job's id, once it is accepted
     */
    public String submitCountedBids(Map<String, String> options, Map<String, String> given) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(options));
        CountedBids.build(environment, given);
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName(given.get("name"));
        return cluster.submitJob(graph.getJobGraph()).get().getJobID().toString();
    }

    /**
     * Submits {@link SqlQueries}.
     *
     * @param options Flink options for this job
     * @return the job's id, once it is accepted
     */
    public String submitSql(
            Map<String, String> options,
            Map<String, String> given,
            List<String> statements,
            Map<String, String> queries)
            throws Exception {
        KeptChanges.forget(given.get("name"));
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(options));
        SqlQueries.build(environment, given, statements, queries);
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName(given.get("name"));
        return cluster.submitJob(graph.getJobGraph()).get().getJobID().toString();
    }

    /**
     * Submits the job of a shape.
     *
     * @param options Flink options for this job
     * @param shape JSON, see {@link ShapeJob}
     * @return the job's id, once it is accepted
     */
    public String submitShape(Map<String, String> options, String shape) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(options));
        String name = ShapeJob.build(environment, shape);
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName(name);
        return cluster.submitJob(graph.getJobGraph()).get().getJobID().toString();
    }

    /** From here on the bids of such a job come as fast as they can. */
    public void release(String job) {
        Paced.release(job);
    }

    /** The changes that a query of such a job has made so far, a line each. */
    public String changes(String job, String query) {
        return String.join("\n", KeptChanges.of(job, query));
    }

    /** What the subtasks of a job were given at their last start: numbers, union list and broadcast state. */
    public Map<Integer, String> given(String job) {
        return KeptNumbers.given(job);
    }

    /** Forgets what subtasks of a job were given so far. */
    public void forget(String job) {
        KeptNumbers.forget(job);
    }

    /** A task of the job fails at its next checkpoint. */
    public void failOnce(String job) {
        KeptNumbers.failOnce(job);
    }

    /** Whether that is still to come. */
    public boolean hasStillToFail(String job) {
        return KeptNumbers.hasStillToFail(job);
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }

    private static Configuration configuration(Map<String, String> options) {
        return Configuration.fromMap(Map.copyOf(options));
    }
}
