package dev.drrs.runtime.checkpoint;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticJobs;
import dev.drrs.runtime.job.GroupMember;
import dev.drrs.runtime.shown.ShownSubtasks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointPlan;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.checkpoint.PendingCheckpointStats;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/** Keeps dormant subtasks out of checkpoint plans and statistics. */
public final class CheckpointPlans {

    private CheckpointPlans() {}

    /**
     * The plan without dormant subtasks: they are neither waited for nor marked as finished (a
     * finished mark would make the operator partially finished, and its restore impossible). Main
     * thread.
     */
    public static CheckpointPlan withoutDormant(
            JobID id, CheckpointPlan plan, boolean mayHaveFinishedTasks) {
        ElasticJob job = ElasticJobs.get(id);
        if (job == null) {
            return plan;
        }
        return DrrsCheckpointAccess.plan(
                awake(job, plan.getTasksToTrigger(), Execution::getVertex),
                awake(job, plan.getTasksToWaitFor(), Execution::getVertex),
                awake(job, plan.getTasksToCommitTo(), Function.identity()),
                awake(job, plan.getFinishedTasks(), Execution::getVertex),
                new ArrayList<>(plan.getFullyFinishedJobVertex()),
                mayHaveFinishedTasks,
                task -> job.isDormant(task.getID()));
    }

    private static <T> List<T> awake(
            ElasticJob job, List<T> tasks, Function<T, ExecutionVertex> vertexOf) {
        List<T> kept = new ArrayList<>(tasks.size());
        for (T task : tasks) {
            if (!job.isDormant(vertexOf.apply(task).getID())) {
                kept.add(task);
            }
        }
        return kept;
    }

    /**
     * Subtask counts per vertex for the statistics. Checkpoint thread: the active set cannot change
     * while a checkpoint is under way.
     */
    public static Map<JobVertexID, Integer> activeCounts(
            Object hook, Map<JobVertexID, Integer> counts) {
        if (!(hook instanceof ElasticJob job)) {
            return counts;
        }
        Map<JobVertexID, Integer> active = new HashMap<>(counts);
        active.replaceAll(
                (id, count) -> {
                    GroupMember vertex = job.member(id);
                    return vertex == null ? count : Integer.valueOf(vertex.activeCount());
                });
        return active;
    }

    /**
     * A checkpoint begins: its statistics have a place for each active subtask of an elastic
     * vertex, in the order of their indices.
     */
    public static void begun(Object hook, PendingCheckpointStats pending) {
        if (!(hook instanceof ElasticJob job) || pending == null) {
            return;
        }
        job.gate().created(pending.getCheckpointId());
        ShownSubtasks.orStock(null, () -> givePlaces(job, pending));
    }

    private static Void givePlaces(ElasticJob job, PendingCheckpointStats pending) {
        for (GroupMember vertex : job.members()) {
            if ((Object) pending.getTaskStateStats(vertex.id()) instanceof HookHolder statistics) {
                statistics.drrsHook(activeIndices(vertex.active()));
            }
        }
        return null;
    }

    private static int[] activeIndices(boolean[] active) {
        return IntStream.range(0, active.length).filter(subtask -> active[subtask]).toArray();
    }
}
