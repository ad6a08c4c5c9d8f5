package dev.drrs.runtime.checkpoint;

import dev.drrs.runtime.job.StoredPlacement;
import dev.drrs.runtime.supported.StateBackends;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * The keyed state of an elastic vertex in the metadata of a checkpoint or savepoint, such that
 * stock Flink restores it at any parallelism.
 *
 * <p>Flink compares the recorded parallelism with the new one: if they differ it takes from all
 * handles what falls into a subtask's range, if they are equal each subtask gets its own handle
 * back, of which there can be only one in metadata. Subtasks of an elastic vertex have scattered
 * key groups, so their own handle is right for no contiguous range. So as many subtasks are
 * recorded as there are equal ranges of key groups that have one owner each, and each has the
 * handle of its range: the fewest that there are, as a task of stock Flink opens the file anew for
 * each handle. In the worst case each range is a single key group, which is the largest number of
 * subtasks that can be restored.
 *
 * <p>Only what is written changes. The JobManager keeps the state by subtask: so failover,
 * discarding and shared state do not notice. A function of its argument; any thread.
 */
public final class WrittenState {

    private WrittenState() {}

    /**
     * The metadata to write. Those of a checkpoint with in-flight records stay as they are: stock
     * Flink could not restore them at another placement anyway, and at the same ceiling they need
     * the recorded parallelism.
     */
    public static CheckpointMetadata portable(CheckpointMetadata metadata) {
        Collection<OperatorState> states = metadata.getOperatorStates();
        if (states.stream().noneMatch(WrittenState::isElastic)
                || states.stream().anyMatch(WrittenState::hasRecordsInFlight)) {
            return metadata;
        }
        List<OperatorState> portable = new ArrayList<>(states.size());
        for (OperatorState state : states) {
            portable.add(isElastic(state) ? byRange(state) : state);
        }
        return new CheckpointMetadata(
                metadata.getCheckpointId(),
                portable,
                metadata.getMasterStates(),
                metadata.getCheckpointProperties());
    }

    private static boolean isElastic(OperatorState state) {
        StoredPlacement placement = StoredPlacement.of(state);
        return placement != null
                && !placement.byKeyGroup()
                && !state.isFullyFinished()
                && placement.maxParallelism() == state.getMaxParallelism()
                && state.getStates().stream()
                        .allMatch(part -> !part.isFinished() && isDivisible(part));
    }

    private static boolean isDivisible(OperatorSubtaskState part) {
        return part.getManagedKeyedState().stream().allMatch(StateBackends.ALL::isDivisible)
                && part.getRawKeyedState().stream().allMatch(StateBackends.ALL::isDivisible);
    }

    static boolean hasRecordsInFlight(OperatorState state) {
        return state.getStates().stream()
                .anyMatch(
                        part ->
                                part.getInputChannelState().hasState()
                                        || part.getResultSubpartitionState().hasState());
    }

    private static OperatorState byRange(OperatorState state) {
        StoredPlacement placement = StoredPlacement.of(state);
        int keyGroups = placement.maxParallelism();
        int ranges = ranges(placement.owners(), state.getParallelism());
        OperatorState listed =
                new OperatorState(
                        state.getOperatorName().orElse(null),
                        state.getOperatorUid().orElse(null),
                        state.getOperatorID(),
                        ranges,
                        keyGroups);
        for (int index = 0; index < ranges; index++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            keyGroups, ranges, index);
            // Operator state stays where it is: its subtasks are the first ones.
            OperatorSubtaskState same =
                    index < state.getParallelism() ? state.getState(index) : null;
            OperatorSubtaskState owner =
                    state.getState(placement.owners()[range.getStartKeyGroup()]);
            OperatorSubtaskState part =
                    (same == null ? OperatorSubtaskState.builder() : same.toBuilder())
                            .setManagedKeyedState(
                                    only(range, owner, OperatorSubtaskState::getManagedKeyedState))
                            .setRawKeyedState(
                                    only(range, owner, OperatorSubtaskState::getRawKeyedState))
                            .build();
            if (part.hasState()) {
                listed.putState(index, part);
            }
        }
        listed.setCoordinatorState(
                new ByteStreamStateHandle(
                        state.getCoordinatorState().getHandleName(),
                        placement.listedByKeyGroup().write()));
        return listed;
    }

    /**
     * Into how few equal ranges the key groups fall that have one owner each.
     *
     * @param atLeast not fewer
     */
    static int ranges(int[] owners, int atLeast) {
        int ranges = Math.max(1, atLeast);
        while (owners.length % ranges != 0 || !haveOneOwnerEach(owners, ranges)) {
            ranges++;
        }
        return ranges;
    }

    private static boolean haveOneOwnerEach(int[] owners, int ranges) {
        int each = owners.length / ranges;
        for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
            if (owners[keyGroup] != owners[keyGroup - keyGroup % each]) {
                return false;
            }
        }
        return true;
    }

    private static StateObjectCollection<KeyedStateHandle> only(
            KeyGroupRange range,
            OperatorSubtaskState owner,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind) {
        List<KeyedStateHandle> handles = new ArrayList<>();
        if (owner != null) {
            for (KeyedStateHandle handle : kind.apply(owner)) {
                KeyedStateHandle part = handle.getIntersection(range);
                if (part != null) {
                    handles.add(part);
                }
            }
        }
        return new StateObjectCollection<>(handles);
    }
}
