package dev.drrs.runtime.jobmanager;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * How the keyed state of a checkpoint or savepoint is handed to the subtasks of an elastic vertex.
 *
 * @param ranges key groups by subtask index
 * @param oldParallelism what Flink compares with the new one to decide whether each subtask gets
 *     its own handle back
 */
public record RestoredState(List<KeyGroupRange> ranges, int oldParallelism) {

    private static final int NEVER_EQUAL = -1;

    /**
     * State that was written under the same ceiling and with a placement beside it goes back to its
     * writers; any other is spread over the subtasks that are active at the start, each with a
     * contiguous range as stock Flink would have it.
     */
    public static RestoredState of(
            Set<ExecutionJobVertex> vertices,
            OperatorState state,
            List<KeyGroupRange> ranges,
            int oldParallelism) {
        ElasticVertex vertex = elastic(vertices, state.getOperatorID());
        if (vertex == null) {
            // An elastic job wrote it, and its parallelism there is a ceiling: never to each
            // subtask its own.
            boolean foreign = ElasticVertex.isPlacement(coordinatorState(state));
            return new RestoredState(ranges, foreign ? NEVER_EQUAL : oldParallelism);
        }
        if (oldParallelism == vertex.ceiling() && vertex.writtenHere(coordinatorState(state))) {
            return new RestoredState(ranges, oldParallelism);
        }
        List<KeyGroupRange> active =
                new ArrayList<>(
                        StateAssignmentOperation.createKeyGroupPartitions(
                                vertex.maxParallelism(), vertex.initialParallelism()));
        while (active.size() < vertex.ceiling()) {
            active.add(KeyGroupRange.EMPTY_KEY_GROUP_RANGE);
        }
        return new RestoredState(active, NEVER_EQUAL);
    }

    /**
     * Before a vertex is given restored state. Flink would spread operator state and in-flight
     * records over all subtasks up to the ceiling, and what dormant ones get would be lost without
     * a word.
     *
     * @throws IllegalStateException if the vertex is elastic and has such state from another
     *     ceiling or from stock Flink
     */
    public static void check(DrrsCheckpointAccess.Restored restored) {
        ElasticJob job = ElasticJobs.get(restored.vertex().getJobId());
        ElasticVertex vertex = job == null ? null : job.vertex(restored.vertex().getJobVertexId());
        if (vertex == null
                || restored.states().stream()
                        .anyMatch(state -> vertex.writtenHere(coordinatorState(state)))) {
            return;
        }
        for (OperatorState state : restored.states()) {
            for (OperatorSubtaskState part : state.getStates()) {
                refuse(
                        vertex,
                        "operator state",
                        part.getManagedOperatorState().hasState()
                                || part.getRawOperatorState().hasState());
                refuse(
                        vertex,
                        "in-flight records of an unaligned checkpoint",
                        part.getInputChannelState().hasState()
                                || part.getResultSubpartitionState().hasState());
            }
        }
    }

    private static void refuse(ElasticVertex vertex, String what, boolean there) {
        if (there) {
            throw new IllegalStateException(
                    "The restored state of operator "
                            + vertex.name()
                            + " has "
                            + what
                            + " that was not written by an elastic job with"
                            + " ceiling "
                            + vertex.ceiling()
                            + ": leave the operator out of drrs.operators, or set drrs.ceiling"
                            + " to what it was.");
        }
    }

    private static ElasticVertex elastic(Set<ExecutionJobVertex> vertices, OperatorID operator) {
        for (ExecutionJobVertex vertex : vertices) {
            for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                if (operator.equals(pair.getGeneratedOperatorID())
                        || pair.getUserDefinedOperatorID().filter(operator::equals).isPresent()) {
                    ElasticJob job = ElasticJobs.get(vertex.getJobId());
                    return job == null ? null : job.vertex(vertex.getJobVertexId());
                }
            }
        }
        return null;
    }

    private static byte[] coordinatorState(OperatorState state) {
        ByteStreamStateHandle handle = state.getCoordinatorState();
        return handle == null ? null : handle.getData();
    }
}
