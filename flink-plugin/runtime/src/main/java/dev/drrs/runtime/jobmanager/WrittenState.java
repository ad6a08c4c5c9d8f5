package dev.drrs.runtime.jobmanager;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * The keyed state of an elastic vertex in the metadata of a checkpoint or savepoint, such that
 * stock Flink restores it at any parallelism.
 *
 * <p>Flink compares the recorded parallelism with the new one: if they differ it takes from all
 * handles what falls into a subtask's range, if they are equal each subtask gets its own handle
 * back, of which there can be only one in metadata. Subtasks of an elastic vertex have scattered
 * key groups, so their own handle is right for no contiguous range, except one of a single key
 * group. So as many subtasks are recorded as there are key groups, the largest number that can be
 * restored, and each has the handle of its key group.
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
            portable.add(isElastic(state) ? byKeyGroup(state) : state);
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
        return part.getManagedKeyedState().stream().allMatch(KeyGroupsStateHandle.class::isInstance)
                && part.getRawKeyedState().stream()
                        .allMatch(KeyGroupsStateHandle.class::isInstance);
    }

    static boolean hasRecordsInFlight(OperatorState state) {
        return state.getStates().stream()
                .anyMatch(
                        part ->
                                part.getInputChannelState().hasState()
                                        || part.getResultSubpartitionState().hasState());
    }

    private static OperatorState byKeyGroup(OperatorState state) {
        StoredPlacement placement = StoredPlacement.of(state);
        OperatorState listed =
                new OperatorState(
                        state.getOperatorName().orElse(null),
                        state.getOperatorUid().orElse(null),
                        state.getOperatorID(),
                        placement.maxParallelism(),
                        placement.maxParallelism());
        for (int keyGroup = 0; keyGroup < placement.maxParallelism(); keyGroup++) {
            // Operator state stays where it is: its subtasks are the first ones.
            OperatorSubtaskState same =
                    keyGroup < state.getParallelism() ? state.getState(keyGroup) : null;
            OperatorSubtaskState owner = state.getState(placement.owners()[keyGroup]);
            OperatorSubtaskState part =
                    (same == null ? OperatorSubtaskState.builder() : same.toBuilder())
                            .setManagedKeyedState(
                                    only(
                                            keyGroup,
                                            owner,
                                            OperatorSubtaskState::getManagedKeyedState))
                            .setRawKeyedState(
                                    only(keyGroup, owner, OperatorSubtaskState::getRawKeyedState))
                            .build();
            if (part.hasState()) {
                listed.putState(keyGroup, part);
            }
        }
        listed.setCoordinatorState(
                new ByteStreamStateHandle(
                        state.getCoordinatorState().getHandleName(),
                        placement.listedByKeyGroup().write()));
        return listed;
    }

    private static StateObjectCollection<KeyedStateHandle> only(
            int keyGroup,
            OperatorSubtaskState owner,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind) {
        List<KeyedStateHandle> handles = new ArrayList<>();
        if (owner != null) {
            for (KeyedStateHandle handle : kind.apply(owner)) {
                KeyedStateHandle part =
                        handle.getIntersection(KeyGroupRange.of(keyGroup, keyGroup));
                if (part != null) {
                    handles.add(part);
                }
            }
        }
        return new StateObjectCollection<>(handles);
    }
}
