package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.drain.Drains;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Where a job's subtasks are, and where its dormant ones would go, as the REST port shows it. One
 * answer each. Main thread.
 */
final class SlotsJson {

    private final ElasticJob job;

    /** Numbers of this answer only: equal ones share a slot. */
    private final Map<Object, Integer> groups = new HashMap<>();

    SlotsJson(ElasticJob job) {
        this.job = job;
    }

    /**
     * Adds the slot that a subtask has, or would have if it is dormant: the number of what shares
     * it, and where it is.
     */
    private void addSlot(ArrayNode list, ExecutionVertex subtask) {
        TaskManagerLocation held = DrrsSchedulerAccess.slotOf(job.scheduler(), subtask.getID());
        list.addObject()
                .put(
                        "group",
                        groups.computeIfAbsent(
                                DrrsSchedulerAccess.slotGroup(job.scheduler(), subtask.getID()),
                                group -> groups.size()))
                .put("task_manager", held == null ? null : id(held));
    }

    /** As {@link #addSlot} for a subtask of the vertex and those that scale together with it. */
    void addSlots(ArrayNode list, ElasticVertex vertex, int index) {
        new Neighbours(job, vertex, DrrsSchedulerAccess.executionGraph(job.scheduler()))
                .groupSubtasks(index)
                .forEach(subtask -> addSlot(list, subtask));
    }

    /** The dormant subtasks of a vertex, each with the slots it would be given. */
    void addDormant(ArrayNode list, ElasticVertex vertex) {
        for (int index = 0; index < vertex.ceiling(); index++) {
            if (!vertex.isActive(index)) {
                addSlots(list.addObject().put("index", index).putArray("slots"), vertex, index);
            }
        }
    }

    /**
     * The TaskManagers that the job uses, each with the slots there that it does not use and the
     * tasks that no rescale moves.
     */
    void addTaskManagers(ArrayNode list) {
        Map<String, ArrayNode> fixed = new TreeMap<>();
        Map<String, Integer> unused = DrrsSchedulerAccess.unusedSlots(job.scheduler());
        unused.keySet().forEach(id -> fixed.put(id, list.arrayNode()));
        for (ExecutionVertex subtask :
                DrrsSchedulerAccess.executionGraph(job.scheduler()).getAllExecutionVertices()) {
            TaskManagerLocation location = subtask.getCurrentAssignedResourceLocation();
            if (location == null || subtask.getExecutionState().isTerminal()) {
                continue;
            }
            ArrayNode tasks = fixed.computeIfAbsent(id(location), id -> list.arrayNode());
            String reason = whyFixed(subtask);
            if (reason != null) {
                tasks.addObject()
                        .put("name", subtask.getJobVertex().getName())
                        .put("subtask", subtask.getParallelSubtaskIndex())
                        .put("reason", reason);
            }
        }
        fixed.forEach(
                (id, tasks) -> {
                    ObjectNode node = list.addObject();
                    node.put("id", id)
                            .put("drained", Drains.isDrained(id))
                            .put("unused_slots", unused.getOrDefault(id, 0));
                    node.set("fixed", tasks);
                });
    }

    private String whyFixed(ExecutionVertex subtask) {
        GroupMember elastic = job.member(subtask.getJobvertexId());
        if (elastic != null) {
            return job.rescales().unsupported(elastic.leader());
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
