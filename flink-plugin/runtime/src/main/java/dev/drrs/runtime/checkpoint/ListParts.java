package dev.drrs.runtime.checkpoint;

import org.apache.flink.runtime.state.OperatorStateHandle;

/** What a handle of operator state says about its content without being read. */
final class ListParts {

    private ListParts() {}

    /** Whether a list or union list in it has an element. */
    static boolean hasLists(OperatorStateHandle handle) {
        return handle.getStateNameToPartitionOffsets().values().stream()
                .anyMatch(
                        state ->
                                state.getDistributionMode() != OperatorStateHandle.Mode.BROADCAST
                                        && state.getOffsets().length > 0);
    }
}
