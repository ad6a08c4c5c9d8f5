package dev.drrs.runtime.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * The lists that a subtask leaves when it retires, as of its last checkpoint, read into memory:
 * that checkpoint will be discarded, while they have to be in all further ones. Broadcast state is
 * not among them: all other subtasks have it too.
 */
public final class LeftState {

    /**
     * State of Flink's committers. It is empty once the completion of the checkpoint has been
     * processed, which a retirement waits for; restored later on it would be committed again.
     */
    private static final Set<String> SETTLED = Set.of("streaming_committer_raw_states");

    /** Bytes of one operator that a subtask may leave: they are kept in the JobManager. */
    public static final long LIMIT = 16L << 20;

    private LeftState() {}

    /** Whether a state counts: it is a list, and not one that is settled by a retirement. */
    public static boolean counts(String name, OperatorStateHandle.Mode mode) {
        return mode != OperatorStateHandle.Mode.BROADCAST && !SETTLED.contains(name);
    }

    /** Bytes that would be read for one operator's part. */
    public static long size(OperatorSubtaskState part) {
        long size = 0;
        for (OperatorStateHandle handle : part.getManagedOperatorState()) {
            size += lists(handle).isEmpty() ? 0 : handle.getStateSize();
        }
        for (OperatorStateHandle handle : part.getRawOperatorState()) {
            size += lists(handle).isEmpty() ? 0 : handle.getStateSize();
        }
        return size;
    }

    /**
     * Reads what these subtasks leave; on any thread that may block.
     *
     * @return by subtask and operator
     * @throws IllegalStateException if it is more than may be kept
     */
    public static Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> read(
            CompletedCheckpoint checkpoint, Collection<Execution> subtasks) throws IOException {
        Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> left = new HashMap<>();
        for (Execution subtask : subtasks) {
            left.put(
                    subtask.getVertex().getID(),
                    read(checkpoint.getOperatorStates(), subtask.getVertex()));
        }
        return left;
    }

    private static Map<OperatorID, OperatorSubtaskState> read(
            Map<OperatorID, OperatorState> checkpoint, ExecutionVertex subtask) throws IOException {
        Map<OperatorID, OperatorSubtaskState> left = new LinkedHashMap<>();
        for (OperatorIDPair pair : subtask.getJobVertex().getOperatorIDs()) {
            OperatorState state = checkpoint.get(pair.getGeneratedOperatorID());
            OperatorSubtaskState part =
                    state == null ? null : state.getState(subtask.getParallelSubtaskIndex());
            long size = part == null ? 0 : size(part);
            if (size > LIMIT) {
                throw new IllegalStateException(
                        "subtask "
                                + subtask.getParallelSubtaskIndex()
                                + " has "
                                + size
                                + " bytes of list state, "
                                + LIMIT
                                + " may be kept");
            }
            if (size > 0) {
                left.put(
                        pair.getGeneratedOperatorID(),
                        OperatorSubtaskState.builder()
                                .setManagedOperatorState(copy(part.getManagedOperatorState()))
                                .setRawOperatorState(copy(part.getRawOperatorState()))
                                .build());
            }
        }
        return left;
    }

    private static StateObjectCollection<OperatorStateHandle> copy(
            StateObjectCollection<OperatorStateHandle> handles) throws IOException {
        StateObjectCollection<OperatorStateHandle> copies = new StateObjectCollection<>();
        for (OperatorStateHandle handle : handles) {
            Map<String, OperatorStateHandle.StateMetaInfo> lists = lists(handle);
            if (!lists.isEmpty()) {
                try (InputStream in = handle.openInputStream()) {
                    copies.add(
                            new OperatorStreamStateHandle(
                                    lists,
                                    new ByteStreamStateHandle(
                                            "left-by-a-subtask-" + UUID.randomUUID(),
                                            in.readAllBytes())));
                }
            }
        }
        return copies;
    }

    private static Map<String, OperatorStateHandle.StateMetaInfo> lists(
            OperatorStateHandle handle) {
        Map<String, OperatorStateHandle.StateMetaInfo> lists = new HashMap<>();
        handle.getStateNameToPartitionOffsets()
                .forEach(
                        (name, state) -> {
                            if (counts(name, state.getDistributionMode())
                                    && state.getOffsets().length > 0) {
                                lists.put(name, state);
                            }
                        });
        return lists;
    }
}
