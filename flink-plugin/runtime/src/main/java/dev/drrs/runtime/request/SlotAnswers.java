package dev.drrs.runtime.request;

import dev.drrs.runtime.answer.JobVertices;
import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.GroupMember;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.RigidVertex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/**
 * Where a job's subtasks are, and where its dormant ones would go, as the REST port shows it. One
 * answer each. Main thread.
 */
final class SlotAnswers {

    private final ElasticJob job;
    private final Rescales rescales;

    /** Numbers of this answer only: equal ones share a slot. */
    private final Map<Object, Integer> groups = new HashMap<>();

    SlotAnswers(ElasticJob job, Rescales rescales) {
        this.job = job;
        this.rescales = rescales;
    }

    /**
     * The slot that a subtask has, or would have if it is dormant: the number of what shares it,
     * and where it is.
     */
    private JobVertices.Slot slot(ExecutionVertex subtask) {
        TaskManagerLocation held = DrrsSchedulerAccess.slotOf(job.scheduler(), subtask.getID());
        return new JobVertices.Slot(
                groups.computeIfAbsent(
                        DrrsSchedulerAccess.slotGroup(job.scheduler(), subtask.getID()),
                        group -> groups.size()),
                held == null ? null : id(held));
    }

    /** Those of a subtask of the vertex and of what scales together with it. */
    List<JobVertices.Slot> of(ElasticVertex vertex, int index) {
        return new Neighbours(job, vertex).groupSubtasks(index).stream().map(this::slot).toList();
    }

    /** The dormant subtasks of a vertex, each with the slots it would be given. */
    List<JobVertices.Dormant> dormant(ElasticVertex vertex) {
        return IntStream.range(0, vertex.ceiling())
                .filter(index -> !vertex.isActive(index))
                .mapToObj(index -> new JobVertices.Dormant(index, of(vertex, index)))
                .toList();
    }

    /**
     * The TaskManagers that the job uses, each with the slots there that it does not use and the
     * tasks that no rescale moves.
     */
    List<JobVertices.TaskManager> taskManagers() {
        Map<String, List<JobVertices.FixedTask>> fixed = new TreeMap<>();
        Map<String, Integer> unused = DrrsSchedulerAccess.unusedSlots(job.scheduler());
        unused.keySet().forEach(id -> fixed.put(id, new ArrayList<>()));
        for (ExecutionVertex subtask :
                DrrsSchedulerAccess.executionGraph(job.scheduler()).getAllExecutionVertices()) {
            TaskManagerLocation location = subtask.getCurrentAssignedResourceLocation();
            if (location == null || subtask.getExecutionState().isTerminal()) {
                continue;
            }
            List<JobVertices.FixedTask> tasks =
                    fixed.computeIfAbsent(id(location), id -> new ArrayList<>());
            String reason = whyFixed(subtask);
            if (reason != null) {
                tasks.add(
                        new JobVertices.FixedTask(
                                subtask.getJobVertex().getName(),
                                subtask.getParallelSubtaskIndex(),
                                reason));
            }
        }
        return fixed.entrySet().stream()
                .map(
                        of ->
                                new JobVertices.TaskManager(
                                        of.getKey(),
                                        Drains.isDrained(of.getKey()),
                                        unused.getOrDefault(of.getKey(), 0),
                                        of.getValue()))
                .toList();
    }

    private String whyFixed(ExecutionVertex subtask) {
        GroupMember elastic = job.member(subtask.getJobvertexId());
        if (elastic != null) {
            return rescales.unsupported(elastic.leader());
        }
        return job.rigid().stream()
                .filter(vertex -> vertex.id().equals(subtask.getJobvertexId()))
                .map(RigidVertex::reason)
                .findFirst()
                .orElse("it is not a keyed operator");
    }

    private static String id(TaskManagerLocation location) {
        return location.getResourceID().getResourceIdString();
    }
}
