package dev.drrs.runtime.request;

import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.Planner;
import dev.drrs.protocol.Surroundings;
import dev.drrs.protocol.Surroundings.Others;
import dev.drrs.protocol.Units;
import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.GroupMember;
import dev.drrs.runtime.job.Neighbours;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.runtime.clusterframework.types.AllocationID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobmaster.LogicalSlot;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/**
 * Plans what a request wants of an operator of which it gives the parallelism only. Main thread.
 */
final class RequestPlanner {

    private final ElasticJob job;
    private final Rescales rescales;
    private final ElasticVertex vertex;
    private final Map<String, Integer> heldSlots;
    private final Neighbours neighbours;

    /**
     * @param heldSlots how many slots jobs hold, by the resource id of the TaskManager
     */
    RequestPlanner(
            ElasticJob job,
            Rescales rescales,
            ElasticVertex vertex,
            Map<String, Integer> heldSlots) {
        this.job = job;
        this.rescales = rescales;
        this.vertex = vertex;
        this.heldSlots = heldSlots;
        this.neighbours = new Neighbours(job, vertex);
    }

    /**
     * @param parallelism from 1 to the ceiling and to the number of key groups
     * @param units of the request's strategy
     */
    Plan plan(int parallelism, KeyGroupLoad load, Units units) {
        return Planner.evenly(
                vertex.placement(),
                subtasks(true),
                parallelism,
                vertex.ceiling(),
                surroundings(),
                load,
                units);
    }

    private List<Integer> subtasks(boolean active) {
        return IntStream.range(0, vertex.ceiling())
                .filter(subtask -> vertex.isActive(subtask) == active)
                .boxed()
                .toList();
    }

    private Surroundings surroundings() {
        Map<Integer, String> hosts = new HashMap<>();
        for (int subtask : subtasks(true)) {
            String host = host(neighbours.subtask(subtask));
            if (host != null) {
                hosts.put(subtask, host);
            }
        }
        Set<Integer> avoid = new HashSet<>(subtasks(false));
        avoid.removeIf(subtask -> !wouldGoToDrained(subtask));
        return new Surroundings(hosts, others(), avoid);
    }

    private boolean wouldGoToDrained(int subtask) {
        return neighbours.groupSubtasks(subtask).stream()
                .map(one -> DrrsSchedulerAccess.slotOf(job.scheduler(), one.getID()))
                .filter(Objects::nonNull)
                .anyMatch(held -> Drains.isDrained(held.getResourceID()));
    }

    /** What each TaskManager that the job uses runs beside the operator and its followers. */
    private Map<String, Others> others() {
        Map<String, Others> others = new HashMap<>();
        Map<String, Set<AllocationID>> own = new HashMap<>();
        for (ExecutionVertex task :
                DrrsSchedulerAccess.executionGraph(job.scheduler()).getAllExecutionVertices()) {
            String host = host(task);
            if (host == null || task.getExecutionState().isTerminal()) {
                continue;
            }
            LogicalSlot slot = task.getCurrentAssignedResource();
            if (slot != null) {
                own.computeIfAbsent(host, id -> new HashSet<>()).add(slot.getAllocationId());
            }
            others.merge(host, kind(task), RequestPlanner::worse);
        }
        Map<String, Integer> unused = DrrsSchedulerAccess.unusedSlots(job.scheduler());
        heldSlots.forEach(
                (host, held) -> {
                    int ofJob =
                            own.getOrDefault(host, Set.of()).size() + unused.getOrDefault(host, 0);
                    if (held > ofJob) {
                        others.put(host, Others.FIXED); // another job
                    }
                });
        return others;
    }

    private Others kind(ExecutionVertex task) {
        if (neighbours.isInGroup(task.getJobvertexId())) {
            return Others.NONE;
        }
        GroupMember elastic = job.member(task.getJobvertexId());
        return elastic != null && rescales.unsupported(elastic.leader()) == null
                ? Others.ELASTIC
                : Others.FIXED;
    }

    private static Others worse(Others one, Others other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Null while it has no slot. */
    private static String host(ExecutionVertex task) {
        TaskManagerLocation location = task.getCurrentAssignedResourceLocation();
        return location == null ? null : location.getResourceID().getResourceIdString();
    }
}
