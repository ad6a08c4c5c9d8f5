package org.apache.flink.runtime.checkpoint;

import dev.drrs.flink.CheckpointMembers;
import dev.drrs.flink.Handles;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.OperatorInstanceID;
import org.apache.flink.runtime.state.OperatorStateHandle;

/** The plug-in's way to members of the checkpoint package that only this package sees. */
public final class DrrsCheckpointAccess {

    private static final VarHandle IO_EXECUTOR = Handles.field(CheckpointMembers.IO_EXECUTOR);
    private static final VarHandle LOCK = Handles.field(CheckpointMembers.COORDINATOR_LOCK);
    private static final MethodHandle ABORT = Handles.method(CheckpointMembers.ABORT_PENDING);

    private DrrsCheckpointAccess() {}

    /**
     * A checkpoint plan over the given tasks. Main thread.
     *
     * @param dormant subtasks that count as finished as soon as all others of their vertex have
     *     finished their operators: Flink refuses to stop a vertex with a union list otherwise
     */
    public static CheckpointPlan plan(
            List<Execution> toTrigger,
            List<Execution> toWaitFor,
            List<ExecutionVertex> toCommitTo,
            List<Execution> finished,
            List<ExecutionJobVertex> fullyFinished,
            boolean mayHaveFinishedTasks,
            Predicate<ExecutionVertex> dormant) {
        return new DefaultCheckpointPlan(
                toTrigger, toWaitFor, toCommitTo, finished, fullyFinished, mayHaveFinishedTasks) {

            private final Set<ExecutionVertex> through = new HashSet<>();

            @Override
            public void reportTaskHasFinishedOperators(ExecutionVertex task) {
                super.reportTaskHasFinishedOperators(task);
                through.add(task);
                List<ExecutionVertex> all = List.of(task.getJobVertex().getTaskVertices());
                if (all.stream().allMatch(one -> through.contains(one) || dormant.test(one))) {
                    all.stream().filter(dormant).forEach(super::reportTaskHasFinishedOperators);
                }
            }
        };
    }

    /** Lets the coordinator look at its queued requests again, on its own thread. Any thread. */
    public static void lookAgain(CheckpointCoordinator coordinator) {
        coordinator.scheduleTriggerRequest();
    }

    /** Whether nobody has asked for the checkpoint: its time has come. */
    public static boolean isPeriodic(Object request) {
        return ((CheckpointCoordinator.CheckpointTriggerRequest) request).isPeriodic;
    }

    /** Whether failovers will not go back to what is asked for. */
    public static boolean isSavepoint(Object request) {
        return ((CheckpointCoordinator.CheckpointTriggerRequest) request).props.isSavepoint();
    }

    /**
     * Answers a periodic trigger request as Flink answers one that comes too early; others are left
     * alone.
     */
    public static boolean refuseIfPeriodic(Object request) {
        if (!isPeriodic(request)) {
            return false;
        }
        ((CheckpointCoordinator.CheckpointTriggerRequest) request)
                .completeExceptionally(
                        new CheckpointException(
                                CheckpointFailureReason.MINIMUM_TIME_BETWEEN_CHECKPOINTS));
        return true;
    }

    /**
     * Cancels the pending checkpoints that Flink itself would drop for a later one: no savepoint.
     * Main thread; takes the coordinator's lock.
     *
     * @param why one sentence, for the checkpoint history
     * @return how many
     */
    public static int cancelPending(CheckpointCoordinator coordinator, String why) {
        synchronized (LOCK.get(coordinator)) {
            List<PendingCheckpoint> pending =
                    coordinator.getPendingCheckpoints().values().stream()
                            .filter(PendingCheckpoint::canBeSubsumed)
                            .toList();
            for (PendingCheckpoint checkpoint : pending) {
                // This reason does not count against the tolerable number of failures.
                CheckpointException reason =
                        new CheckpointException(why, CheckpointFailureReason.CHECKPOINT_SUBSUMED);
                try {
                    ABORT.invoke(coordinator, checkpoint, reason);
                } catch (Throwable e) {
                    throw new IllegalStateException(
                            "checkpoint " + checkpoint.getCheckpointID() + " cannot be cancelled",
                            e);
                }
            }
            return pending.size();
        }
    }

    /** Where the coordinator completes checkpoints: may block on the file system. Any thread. */
    public static Executor ioExecutor(CheckpointCoordinator coordinator) {
        return (Executor) IO_EXECUTOR.get(coordinator);
    }

    /**
     * What a subtask has reported, under its place in the statistics of a checkpoint instead of its
     * index. Any thread.
     *
     * @param subtasks {@code int[]} of the indices of the subtasks that have a place, or null if
     *     every subtask has the one of its index
     */
    public static SubtaskStateStats atPlace(Object subtasks, SubtaskStateStats reported) {
        if (!(subtasks instanceof int[] indices)) {
            return reported;
        }
        int place = Arrays.binarySearch(indices, reported.getSubtaskIndex());
        return new SubtaskStateStats(
                place < 0 ? indices.length : place, // Flink takes no report of such a place
                reported.getAckTimestamp(),
                reported.getCheckpointedSize(),
                reported.getStateSize(),
                reported.getSyncCheckpointDuration(),
                reported.getAsyncCheckpointDuration(),
                reported.getProcessedData(),
                reported.getPersistedData(),
                reported.getAlignmentDuration(),
                reported.getCheckpointStartDelay(),
                reported.getUnalignedCheckpoint(),
                reported.isCompleted());
    }

    /**
     * A vertex that is given restored state.
     *
     * @param states what was written, by operator
     * @param hasRecordsInFlight whether the vertex or one beside it has state of channels
     * @param managed operator state by operator and subtask; may be changed
     * @param raw as {@code managed}
     */
    public record Assignment(
            ExecutionJobVertex vertex,
            Map<OperatorID, OperatorState> states,
            boolean hasRecordsInFlight,
            Map<OperatorInstanceID, List<OperatorStateHandle>> managed,
            Map<OperatorInstanceID, List<OperatorStateHandle>> raw) {}

    /** The vertex that is given restored state; called for every job. */
    public static ExecutionJobVertex vertex(Object assignment) {
        return ((TaskStateAssignment) assignment).executionJobVertex;
    }

    public static Assignment assignment(Object assignment) {
        TaskStateAssignment from = (TaskStateAssignment) assignment;
        return new Assignment(
                from.executionJobVertex,
                from.oldState,
                from.hasInputState()
                        || from.hasOutputState()
                        || from.hasUpstreamOutputStates()
                        || from.hasDownstreamInputStates(),
                from.subManagedOperatorState,
                from.subRawOperatorState);
    }
}
