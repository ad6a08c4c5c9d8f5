package dev.drrs.runtime.checkpoint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.RoundRobinOperatorStateRepartitioner;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.OperatorInstanceID;
import org.apache.flink.runtime.state.OperatorStateHandle;

/**
 * Gives the operator state of one operator to the active subtasks of its vertex, as Flink gives it
 * to a vertex of so many subtasks: lists are dealt out, union lists and broadcast state go to all.
 */
final class SpreadOperatorState {

    private final boolean[] active;
    private final boolean home;

    /**
     * @param active subtasks that start
     * @param home whether each of them gets its own lists back. What subtasks have left that were
     *     active once is dealt out in any case, and with it all lists of that operator.
     */
    SpreadOperatorState(boolean[] active, boolean home) {
        this.active = active;
        this.home = home;
    }

    void assign(OperatorID id, OperatorState state, DrrsCheckpointAccess.Assignment to) {
        assign(id, state, OperatorSubtaskState::getManagedOperatorState, to.managed());
        assign(id, state, OperatorSubtaskState::getRawOperatorState, to.raw());
    }

    private void assign(
            OperatorID id,
            OperatorState state,
            Function<OperatorSubtaskState, StateObjectCollection<OperatorStateHandle>> kind,
            Map<OperatorInstanceID, List<OperatorStateHandle>> to) {
        List<List<OperatorStateHandle>> written = new ArrayList<>();
        for (int subtask = 0; subtask < state.getParallelism(); subtask++) {
            OperatorSubtaskState part = state.getState(subtask);
            written.add(part == null ? List.of() : kind.apply(part).asList());
        }
        List<List<OperatorStateHandle>> spread = spread(written);
        for (int subtask = 0; subtask < active.length; subtask++) {
            to.put(OperatorInstanceID.of(subtask, id), spread.get(subtask));
        }
    }

    /**
     * @param written by subtask
     * @return by subtask, up to the ceiling
     */
    List<List<OperatorStateHandle>> spread(List<List<OperatorStateHandle>> written) {
        if (home && !isAnyLeft(written)) {
            List<List<OperatorStateHandle>> own = new ArrayList<>(written);
            while (own.size() < active.length) {
                own.add(List.of());
            }
            // More than the ceiling may be recorded where keyed state is listed by key groups.
            return repartition(own.subList(0, active.length), active.length);
        }
        List<Integer> targets = new ArrayList<>();
        for (int subtask = 0; subtask < active.length; subtask++) {
            if (active[subtask]) {
                targets.add(subtask);
            }
        }
        List<List<OperatorStateHandle>> parts = repartition(written, targets.size());
        List<List<OperatorStateHandle>> spread =
                new ArrayList<>(Collections.nCopies(active.length, List.of()));
        for (int part = 0; part < parts.size(); part++) {
            spread.set(targets.get(part), parts.get(part));
        }
        return spread;
    }

    private boolean isAnyLeft(List<List<OperatorStateHandle>> written) {
        for (int subtask = 0; subtask < written.size(); subtask++) {
            if ((subtask >= active.length || !active[subtask])
                    && written.get(subtask).stream().anyMatch(ListParts::hasLists)) {
                return true;
            }
        }
        return false;
    }

    private static List<List<OperatorStateHandle>> repartition(
            List<List<OperatorStateHandle>> written, int parallelism) {
        return StateAssignmentOperation.applyRepartitioner(
                RoundRobinOperatorStateRepartitioner.INSTANCE,
                written,
                written.size(),
                parallelism);
    }
}
