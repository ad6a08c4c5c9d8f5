package dev.drrs.runtime.run;

import dev.drrs.runtime.job.Neighbours;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/**
 * Numbers the nodes that the subtasks of an operator run on: Flink's {@code taskmanager.node-id},
 * by default the host. What it has said of a subtask it says again, so that whoever counts by it
 * comes out even. Main thread.
 */
final class Nodes {

    private final Neighbours neighbours;
    private final Map<Integer, Integer> ofSubtask = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    Nodes(Neighbours neighbours) {
        this.neighbours = neighbours;
    }

    /** Of an owner of the rescale that moves key groups, so one that has been deployed. */
    int of(int subtask) {
        return ofSubtask.computeIfAbsent(subtask, this::lookedUp);
    }

    private int lookedUp(int subtask) {
        TaskManagerLocation location =
                neighbours.subtask(subtask).getCurrentAssignedResourceLocation();
        // one that has just lost its TaskManager: a failover ends this rescale
        String node = location == null ? "subtask " + subtask : location.getNodeId();
        return numbers.computeIfAbsent(node, unknown -> numbers.size());
    }
}
