package dev.drrs.runtime.run;

import dev.drrs.protocol.Sections;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.AwaitBroadcastEnd;
import dev.drrs.runtime.message.BroadcastStateCopied;
import dev.drrs.runtime.message.BroadcastStopped;
import dev.drrs.runtime.message.CopyBroadcastState;
import dev.drrs.runtime.message.DiscardSubpartition;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.ResumeBroadcast;
import dev.drrs.runtime.message.StopBroadcast;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.runtime.checkpoint.JobManagerTaskRestore;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broadcast inputs of a vertex stand still while its key groups move: from a barrier that each
 * predecessor sends to all subtasks at one place, until every subscale is settled. So all old and
 * new owners have the same broadcast state and position all the time, and a new subtask starts with
 * a copy of one active subtask's state at that place.
 *
 * <p>All of it is one section, as an aligned checkpoint would wait for a barrier behind ours:
 * provisioning and subscales are sections within it and begin at once. Without a broadcast input
 * there is none of this, and they take turns by themselves. Main thread.
 */
public final class BroadcastPause implements Sections {

    private static final Logger LOG = LoggerFactory.getLogger(BroadcastPause.class);

    private final RunScope scope;
    private final Sections sections;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private final int rescale;
    private final List<Integer> fresh;
    private final boolean needed;
    private final Set<ExecutionAttemptID> running = new HashSet<>();
    private Map<String, OperatorStreamStateHandle> copies = Map.of();
    private Consumer<String> whenStopped;
    private Runnable whenAllStopped;
    private boolean waitsForFresh;
    private boolean began;
    private boolean over;

    /**
     * @param sections of the rescale
     */
    BroadcastPause(RunScope scope, Sections sections) {
        this.scope = scope;
        this.sections = sections;
        this.neighbours = scope.neighbours();
        this.messenger = scope.messenger();
        this.rescale = scope.number();
        this.fresh = scope.fresh();
        this.needed = neighbours.inputs().stream().anyMatch(Neighbours.Input::broadcast);
    }

    /** Whether there was a pause and it has ended: what comes now must not move key groups. */
    boolean isOver() {
        return needed && over;
    }

    /**
     * Begins as soon as no checkpoint is under way.
     *
     * @param stopped gets null once all active subtasks stand still and the copy is there, or why
     *     that cannot be
     */
    void begin(Consumer<String> stopped) {
        if (!needed) {
            stopped.accept(null);
            return;
        }
        whenStopped = stopped;
        sections.requestSection(this::stop);
    }

    private void stop() {
        if (over) {
            sections.sectionDone();
            return;
        }
        began = true;
        scope.predecessors().begin(this::stopAll);
    }

    private void stopAll() {
        if (over) {
            return;
        }
        String notRunning = neighbours.notRunning();
        if (notRunning != null) {
            whenStopped.accept(notRunning);
            return;
        }
        neighbours.active().forEach(subtask -> running.add(subtask.getAttemptId()));
        int[] opened = fresh.stream().mapToInt(Integer::intValue).toArray();
        Map<Execution, List<String>> dataSets = dataSets();
        dataSets.forEach(
                (predecessor, ids) ->
                        messenger.send(predecessor, new StopBroadcast(rescale, ids, opened)));
        if (dataSets.isEmpty()) { // all have ended, but not all of it may have been read yet
            messenger.send(neighbours.active(), new AwaitBroadcastEnd(rescale));
        }
    }

    private Map<Execution, List<String>> dataSets() {
        return neighbours.dataSets(true);
    }

    void hear(Handlers<Execution, RuntimeException> events) {
        events.on(BroadcastStopped.class, (subtask, stopped) -> onStopped(subtask))
                .on(BroadcastStateCopied.class, (subtask, copied) -> onCopied(copied));
    }

    private void onStopped(Execution subtask) {
        if (over || !running.remove(subtask.getAttemptId())) {
            return;
        }
        if (running.isEmpty()) {
            allStand();
        }
    }

    private void allStand() {
        if (waitsForFresh) {
            if (whenAllStopped != null) {
                whenAllStopped.run();
            }
        } else if (fresh.isEmpty()) {
            whenStopped.accept(null);
        } else {
            messenger.send(neighbours.active().get(0), new CopyBroadcastState(rescale));
        }
    }

    private void onCopied(BroadcastStateCopied copied) {
        copies = copied.states();
        if (over) {
            discardCopies();
        } else {
            // The new ones come to the barrier as soon as they read.
            waitsForFresh = true;
            if (!dataSets().isEmpty()) {
                fresh.forEach(subtask -> running.add(neighbours.execution(subtask).getAttemptId()));
            }
            whenStopped.accept(copied.fault());
        }
    }

    /**
     * What a new subtask restores: the operator with the broadcast input the copy.
     *
     * @param subtask of the vertex or of one that scales with it
     * @param other what else it is to have, or null
     * @return null for nothing
     */
    JobManagerTaskRestore initialState(ExecutionVertex subtask, JobManagerTaskRestore other) {
        if (copies.isEmpty() || !subtask.getJobvertexId().equals(scope.vertex().id())) {
            return other;
        }
        TaskStateSnapshot states =
                other == null ? new TaskStateSnapshot() : other.getTaskStateSnapshot();
        copies.forEach(
                (operator, copy) -> {
                    OperatorID id = new OperatorID(StringUtils.hexStringToByte(operator));
                    OperatorSubtaskState before = states.getSubtaskStateByOperatorID(id);
                    states.putSubtaskStateByOperatorID(id, with(copy, before));
                });
        return new JobManagerTaskRestore(Math.max(0, scope.vertex().lastSnapshot()), states);
    }

    private static OperatorSubtaskState with(
            OperatorStateHandle copy, OperatorSubtaskState before) {
        if (before == null) {
            return OperatorSubtaskState.builder().setManagedOperatorState(copy).build();
        }
        List<OperatorStateHandle> managed = new ArrayList<>(before.getManagedOperatorState());
        managed.add(copy);
        return OperatorSubtaskState.builder()
                .setManagedOperatorState(new StateObjectCollection<>(managed))
                .setRawOperatorState(before.getRawOperatorState())
                .build();
    }

    /** Runs it once the new subtasks stand still as well. */
    void awaitAll(Runnable then) {
        if (running.isEmpty()) {
            then.run();
        } else {
            whenAllStopped = then;
        }
    }

    /**
     * The inputs go on, whatever has become of the rescale.
     *
     * @param activated whether the new subtasks have been
     */
    void end(boolean activated) {
        if (!needed || over) {
            return;
        }
        over = true;
        if (!began) {
            return;
        }
        messenger.send(neighbours.active(), new ResumeBroadcast(rescale));
        if (!activated) {
            dataSets().forEach(this::discard);
        }
        discardCopies();
        sections.sectionDone();
    }

    private void discard(Execution predecessor, List<String> ids) {
        for (String id : ids) {
            fresh.forEach(
                    subtask -> messenger.send(predecessor, new DiscardSubpartition(id, subtask)));
        }
    }

    /** A failover makes new tasks, and has dropped the section. */
    void interrupted() {
        if (!over) {
            over = true;
            discardCopies();
        }
    }

    private void discardCopies() {
        for (OperatorStreamStateHandle copy : copies.values()) {
            scope.job()
                    .ioExecutor()
                    .execute(
                            () -> {
                                try {
                                    copy.discardState();
                                } catch (Exception e) {
                                    LOG.warn(
                                            "A copy of broadcast state was left over: {}", copy, e);
                                }
                            });
        }
        copies = Map.of();
    }

    // ---- sections within ours -------------------------------------------------------------------

    @Override
    public void requestSection(Runnable begin) {
        if (needed) {
            begin.run();
        } else {
            sections.requestSection(begin);
        }
    }

    @Override
    public void sectionDone() {
        if (!needed) {
            sections.sectionDone();
        }
    }
}
