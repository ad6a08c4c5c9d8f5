package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job of a test while it runs: its checkpoints, its subtasks, its rescales. */
final class RunningJob {

    private static final long POLL_MILLIS = 50; // a MiniCluster has nothing to wait for

    private final MiniCluster cluster;
    private final JobClient client;
    private final RescaleClient rescales;

    private RunningJob(MiniCluster cluster, JobClient client) throws Exception {
        this.cluster = cluster;
        this.client = client;
        this.rescales = new RescaleClient(cluster, client);
    }

    /** Submits it; the first checkpoint is complete on return. */
    static RunningJob start(MiniCluster cluster, StreamExecutionEnvironment env, String name)
            throws Exception {
        RunningJob job = new RunningJob(cluster, env.executeAsync(name));
        job.awaitCheckpoint();
        return job;
    }

    JobID id() {
        return client.getJobID();
    }

    JobClient client() {
        return client;
    }

    RescaleClient rescales() {
        return rescales;
    }

    /** Rescales, asserts that it completed, and waits for one checkpoint more. */
    void rescale(String vertex, int parallelism) throws Exception {
        JsonNode status = rescales.rescale(vertex, parallelism);
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        awaitCheckpoint();
    }

    /** Waits until one checkpoint more is complete. */
    void awaitCheckpoint() throws Exception {
        rescales.awaitCheckpoints(1);
    }

    /** Waits until a checkpoint is under way. */
    void awaitPendingCheckpoint() throws Exception {
        while (graph().getCheckpointStatsSnapshot().getCounts().getNumberOfInProgressCheckpoints()
                == 0) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Waits until the job has failed and goes on from a checkpoint, with one complete since. */
    void awaitRestore() throws Exception {
        while (graph().getCheckpointStatsSnapshot().getCounts().getNumberOfRestoredCheckpoints()
                == 0) {
            Thread.sleep(POLL_MILLIS);
        }
        awaitCheckpoint();
    }

    /**
     * Waits until no rescale follows a failover any more: whatever a restart asks for has begun
     * before the job completes a checkpoint.
     *
     * @return the history
     */
    JsonNode awaitRecovery() throws Exception {
        JsonNode before;
        JsonNode after = rescales.history();
        do {
            before = after;
            awaitCheckpoint();
            after = rescales.history();
        } while (before.size() != after.size() || !RescaleClient.hasEnded(before.get(0)));
        return after;
    }

    /** Indices of the subtasks that run. */
    SortedSet<Integer> running(String vertexName) throws Exception {
        return in(ExecutionState.RUNNING, vertexName);
    }

    private SortedSet<Integer> in(ExecutionState state, String vertexName) throws Exception {
        SortedSet<Integer> found = new TreeSet<>();
        for (AccessExecutionJobVertex vertex : graph().getVerticesTopologically()) {
            if (vertex.getName().startsWith(vertexName)) {
                for (AccessExecutionVertex subtask : vertex.getTaskVertices()) {
                    if (subtask.getExecutionState() == state) {
                        found.add(subtask.getParallelSubtaskIndex());
                    }
                }
            }
        }
        return found;
    }

    /** Waits until so many subtasks of the vertex have come to their end by themselves. */
    void awaitFinishedSubtasks(String vertexName, int count) throws Exception {
        while (in(ExecutionState.FINISHED, vertexName).size() < count) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Lets sources end that wait for it, and waits until the job has. */
    void awaitEnd() throws Exception {
        TimedNumbers.awaitEnd(client);
    }

    void cancel() throws Exception {
        client.cancel().get();
    }

    private AccessExecutionGraph graph() throws Exception {
        return cluster.getExecutionGraph(client.getJobID()).get();
    }
}
