package dev.drrs.runtime.request;

import dev.drrs.runtime.checkpoint.LeftState;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.RetiredState;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.run.BroadcastPause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.util.StringUtils;

/**
 * Says which operator (non-keyed) state of a vertex a rescale could not keep right. How much of it
 * there is the latest completed checkpoint tells. Main thread.
 *
 * <p>Lists go on with the subtask that has them, and are kept when it retires ({@link
 * RetiredState}). A union list would have to be given to a new subtask as a whole while the other
 * subtasks go on with what they made of it, and broadcast state as of a position in the stream of
 * the operator that nobody but the operator knows, unless it has a broadcast input: both are
 * refused.
 */
final class OperatorStateCheck {

    private static final String REMEDY =
            "; stop the job with a savepoint and start it from there with the other parallelism.";

    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final Collection<OperatorStates.One> registered;
    private final CompletedCheckpoint latest;

    /**
     * @param registered states that the operators of the vertex have
     */
    OperatorStateCheck(
            ElasticJob job, ElasticVertex vertex, Collection<OperatorStates.One> registered) {
        this.job = job;
        this.vertex = vertex;
        this.registered = registered;
        this.latest = job.gate().latestCompleted();
    }

    /**
     * @param fresh subtasks to be activated
     * @param emptied subtasks to retire
     * @return sentences; empty if nothing is lost
     */
    List<String> faults(List<Integer> fresh, List<Integer> emptied) {
        List<String> faults = new ArrayList<>();
        for (OperatorStates.One state : registered) {
            String fault =
                    switch (state.mode()) {
                        case UNION_LIST -> fresh.isEmpty() ? null : unionFault(state);
                        case BROADCAST ->
                                fresh.isEmpty() || hasBroadcastInput(state)
                                        ? null
                                        : broadcastFault(state);
                        case LIST -> null;
                    };
            if (fault == null
                    && !emptied.isEmpty()
                    && !job.gate().hasCheckpoints()
                    && LeftState.counts(state.name(), flinkMode(state))) {
                fault =
                        "its state "
                                + state.name()
                                + " in a subtask that retires would be lost, as the job takes no"
                                + " checkpoints; set execution.checkpointing.interval.";
            }
            if (fault != null) {
                faults.add("Operator " + state.operator() + " cannot be rescaled: " + fault);
            }
        }
        emptied.forEach(subtask -> checkSize(subtask, faults));
        return faults;
    }

    private String unionFault(OperatorStates.One state) {
        if (job.gate().hasCheckpoints() && latest == null) {
            return "it has the union list state "
                    + state.name()
                    + ", and whether it is empty is known with the first completed checkpoint; try"
                    + " again after it.";
        }
        int elements = elements(state);
        return latest != null && elements == 0
                ? null
                : "its union list state "
                        + state.name()
                        + (latest == null ? "" : " (" + elements + " elements)")
                        + " would have to be given to new subtasks while the others go on with theirs"
                        + REMEDY;
    }

    /** Then that input's position is the moment ({@link BroadcastPause}). */
    private boolean hasBroadcastInput(OperatorStates.One state) {
        return vertex.operator().toString().equals(state.operatorId())
                && DrrsSchedulerAccess.executionGraph(job.scheduler())
                        .getJobVertex(vertex.id())
                        .getJobVertex()
                        .getInputs()
                        .stream()
                        .anyMatch(JobEdge::isBroadcast);
    }

    private static String broadcastFault(OperatorStates.One state) {
        return "its broadcast state "
                + state.name()
                + " would have to be given to new subtasks as of one moment"
                + REMEDY;
    }

    private int elements(OperatorStates.One state) {
        List<OperatorSubtaskState> parts = new ArrayList<>();
        OperatorID operator = new OperatorID(StringUtils.hexStringToByte(state.operatorId()));
        OperatorState written = latest == null ? null : latest.getOperatorStates().get(operator);
        if (written != null) {
            parts.addAll(written.getStates());
        }
        parts.addAll(job.retired().of(operator));
        int elements = 0;
        for (OperatorSubtaskState part : parts) {
            for (OperatorStateHandle handle : part.getManagedOperatorState()) {
                OperatorStateHandle.StateMetaInfo list =
                        handle.getStateNameToPartitionOffsets().get(state.name());
                elements += list == null ? 0 : list.getOffsets().length;
            }
        }
        return elements;
    }

    private void checkSize(int subtask, List<String> faults) {
        if (latest == null) {
            return;
        }
        List<OperatorIDPair> operators =
                new Neighbours(job, vertex)
                        .groupSubtasks(subtask).stream()
                                .flatMap(member -> member.getJobVertex().getOperatorIDs().stream())
                                .toList();
        for (OperatorIDPair pair : operators) {
            OperatorState state = latest.getOperatorStates().get(pair.getGeneratedOperatorID());
            OperatorSubtaskState part = state == null ? null : state.getState(subtask);
            long size = part == null ? 0 : LeftState.size(part);
            if (size > LeftState.LIMIT) {
                faults.add(
                        "Operator "
                                + pair.getUserDefinedOperatorName()
                                + " cannot be scaled in: subtask "
                                + subtask
                                + " has "
                                + size
                                + " bytes of list state, of which a retiring subtask may leave "
                                + LeftState.LIMIT
                                + REMEDY);
            }
        }
    }

    private static OperatorStateHandle.Mode flinkMode(OperatorStates.One state) {
        return switch (state.mode()) {
            case LIST -> OperatorStateHandle.Mode.SPLIT_DISTRIBUTE;
            case UNION_LIST -> OperatorStateHandle.Mode.UNION;
            case BROADCAST -> OperatorStateHandle.Mode.BROADCAST;
        };
    }
}
