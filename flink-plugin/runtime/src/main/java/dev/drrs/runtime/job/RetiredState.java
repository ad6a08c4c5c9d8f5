package dev.drrs.runtime.job;

import dev.drrs.runtime.checkpoint.LeftState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.JobManagerTaskRestore;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.state.OperatorStateHandle;

/**
 * The lists that retired subtasks of a job have left ({@link LeftState}). They are in every
 * checkpoint as if the subtask were still there; the next subtask to be activated gets them, and a
 * restart deals them out to all.
 *
 * <p>Changed in the JobMaster's main thread, within a section, so never while a checkpoint is under
 * way; read in the threads that complete checkpoints. The map is replaced, never changed.
 */
public final class RetiredState {

    private volatile Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> left = Map.of();

    /** A subtask has retired. */
    public void keep(ExecutionVertexID subtask, Map<OperatorID, OperatorSubtaskState> lists) {
        Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> with = new HashMap<>(left);
        if (lists.isEmpty()) {
            with.remove(subtask);
        } else {
            with.put(subtask, lists);
        }
        left = with;
    }

    /** The vertex went back to a checkpoint: what it had left then has been dealt out. */
    void forget(JobVertexID vertex) {
        Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> rest = new HashMap<>(left);
        rest.keySet().removeIf(subtask -> subtask.getJobVertexId().equals(vertex));
        left = rest;
    }

    /** Whether subtasks of the vertex have left something that no subtask has got. Any thread. */
    public boolean isLeft(JobVertexID vertex) {
        return left.keySet().stream().anyMatch(subtask -> subtask.getJobVertexId().equals(vertex));
    }

    /** Parts of one operator's state that retired subtasks have left. Any thread. */
    public List<OperatorSubtaskState> of(OperatorID operator) {
        return left.values().stream()
                .map(lists -> lists.get(operator))
                .filter(part -> part != null)
                .toList();
    }

    /**
     * What a subtask that is about to be activated starts with, out of what is left by subtasks of
     * its vertex: its own, and its share of what others left.
     *
     * @param fresh subtasks of the same vertex that are activated together, this one among them
     * @param checkpoint id of the latest completed one
     * @return null if that is nothing
     */
    public JobManagerTaskRestore take(
            ExecutionVertex subtask, List<Integer> fresh, long checkpoint) {
        int place = fresh.indexOf(subtask.getParallelSubtaskIndex());
        Map<Integer, ExecutionVertexID> sources = new TreeMap<>();
        for (ExecutionVertexID one : left.keySet()) {
            boolean own = one.getSubtaskIndex() == subtask.getParallelSubtaskIndex();
            boolean share =
                    !fresh.contains(one.getSubtaskIndex())
                            && one.getSubtaskIndex() % fresh.size() == place;
            if (one.getJobVertexId().equals(subtask.getJobvertexId()) && (own || share)) {
                sources.put(one.getSubtaskIndex(), one);
            }
        }
        if (sources.isEmpty()) {
            return null;
        }
        TaskStateSnapshot state =
                new TaskStateSnapshot(subtask.getJobVertex().getOperatorIDs().size(), false);
        for (OperatorIDPair pair : subtask.getJobVertex().getOperatorIDs()) {
            List<OperatorStateHandle> managed = new ArrayList<>();
            List<OperatorStateHandle> raw = new ArrayList<>();
            for (ExecutionVertexID source : sources.values()) {
                OperatorSubtaskState part = left.get(source).get(pair.getGeneratedOperatorID());
                if (part != null) {
                    managed.addAll(part.getManagedOperatorState());
                    raw.addAll(part.getRawOperatorState());
                }
            }
            state.putSubtaskStateByOperatorID(
                    pair.getGeneratedOperatorID(),
                    OperatorSubtaskState.builder()
                            .setManagedOperatorState(new StateObjectCollection<>(managed))
                            .setRawOperatorState(new StateObjectCollection<>(raw))
                            .build());
        }
        Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> rest =
                new LinkedHashMap<>(left);
        rest.keySet().removeAll(sources.values());
        left = rest;
        return new JobManagerTaskRestore(checkpoint, state);
    }

    /** Called from a checkpoint of which all parts are there, before it is written. */
    public static void complete(JobID id, Map<OperatorID, OperatorState> states) {
        ElasticJob job = ElasticJobs.get(id);
        if (job != null) {
            job.retired().addTo(states);
        }
    }

    private void addTo(Map<OperatorID, OperatorState> states) {
        left.forEach(
                (subtask, lists) ->
                        lists.forEach(
                                (operator, part) -> {
                                    OperatorState state = states.get(operator);
                                    if (state != null && !state.isFullyFinished()) {
                                        state.putState(subtask.getSubtaskIndex(), part);
                                    }
                                }));
    }
}
