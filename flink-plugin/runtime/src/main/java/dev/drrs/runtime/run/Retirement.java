package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.Causes;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.checkpoint.LeftState;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.ChannelClosed;
import dev.drrs.runtime.message.CloseSubpartition;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.PrepareRetirement;
import dev.drrs.runtime.message.RetirementPrepared;
import dev.drrs.runtime.message.SubpartitionReset;
import dev.drrs.runtime.message.WriteOut;
import dev.drrs.runtime.message.WrittenOut;
import dev.drrs.runtime.section.RunSections;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResultPartition;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinatorHolder;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ConsumedPartitionGroup;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.concurrent.FutureUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets subtasks that own no key group end, so that their slots go back and they can be activated
 * again later. The same subtasks of the vertices that scale together with theirs end with them.
 *
 * <p>First their operators write out what they hold, as they get nothing to push it out any more.
 * Then comes a completed checkpoint with them in it: what operators behind the keyed one hold until
 * then (an open transaction, committables) would be lost, as a retiring subtask is closed and not
 * finished. Then, as one section and with no other checkpoint between: the lists that the subtasks
 * have as operator state are read out of that checkpoint ({@link LeftState}), predecessors close,
 * the subtask ends, its vertex becomes dormant in the main-thread action that hears of the end, and
 * consumers and predecessors make place for another one. Main thread.
 */
final class Retirement implements Step {

    private static final Logger LOG = LoggerFactory.getLogger(Retirement.class);

    private static final long NONE = -1;

    /** A checkpoint that failed is asked for again, at first after so long. */
    private static final long FIRST_RETRY_MS = 1_000;

    private static final long LAST_RETRY_MS = 30_000;

    private final RunScope scope;
    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final RunSections sections;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private final ActiveCount activeCount;

    private final Set<Integer> subtasks = new TreeSet<>();
    private final Set<ExecutionVertex> running = new HashSet<>();
    private final Set<ExecutionVertex> holding = new HashSet<>();
    private final Set<Neighbours.Channel> openChannels = new HashSet<>();
    private final Set<ResourceID> left = new HashSet<>();
    private long afterCheckpoint = Long.MAX_VALUE;

    /** The completed one that the subtasks end behind. */
    private long lastCheckpoint = NONE;

    private final Map<ExecutionVertexID, Map<OperatorID, OperatorSubtaskState>> lists =
            new HashMap<>();
    private int openSubpartitions;
    private final Set<ExecutionVertex> unprepared = new HashSet<>();

    /**
     * Whether the section has begun in which the subtasks are closed: predecessors do not say their
     * end before that is done, as they are still told to close subpartitions.
     */
    private boolean closing;

    Retirement(RunScope scope, RunSections sections, ActiveCount activeCount) {
        this.scope = scope;
        this.job = scope.job();
        this.vertex = scope.vertex();
        this.sections = sections;
        this.neighbours = scope.neighbours();
        this.messenger = scope.messenger();
        this.activeCount = activeCount;
    }

    @Override
    public Phase phase() {
        return Phase.RETIRING;
    }

    /** After an abort the new subtasks end, unless all are about to. */
    @Override
    public boolean isPartOf(Course course) {
        return course != Course.INPUTS_ENDED;
    }

    @Override
    public boolean hasOwnLimit() {
        return true;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(WrittenOut.class, (task, written) -> onWrittenOut(task))
                .on(RetirementPrepared.class, (task, prepared) -> onPrepared(task))
                .on(ChannelClosed.class, this::onChannelClosed)
                .on(SubpartitionReset.class, (task, reset) -> onSubpartitionReset(reset));
    }

    /** Nothing that is left to do waits for records. */
    @Override
    public void onEndWaits() {
        if (!closing) {
            scope.predecessors().release(() -> {});
        } // else at the end of it all
    }

    @Override
    public void begin() {
        subtasks.addAll(vertex.emptySubtasks());
        if (subtasks.isEmpty()) {
            end(null);
            return;
        }
        subtasks.forEach(subtask -> running.addAll(neighbours.groupSubtasks(subtask)));
        Duration limit = scope.option(DrrsOptions.RETIREMENT_TIMEOUT);
        scope.after(limit, () -> timeOut(limit));
        holding.addAll(running);
        for (int subtask : subtasks) {
            messenger.send(neighbours.execution(subtask), new WriteOut(scope.number()));
        }
    }

    /** The first of a group is told, the others hear of it behind all that it has written out. */
    private void onWrittenOut(Execution task) {
        if (!holding.remove(task.getVertex()) || !holding.isEmpty() || isOver()) {
            return;
        }
        if (job.gate().hasCheckpoints()) {
            awaitCheckpoint();
        } else {
            sections.requestSection(this::prepare);
        }
    }

    private void awaitCheckpoint() {
        lastCheckpoint = NONE;
        afterCheckpoint = vertex.lastSnapshot();
        trigger(FIRST_RETRY_MS);
    }

    /** Nobody says that a checkpoint has failed, and the next one may be an hour away. */
    private void trigger(long again) {
        if (isOver() || closing || lastCheckpoint != NONE) {
            return;
        }
        job.gate().triggerCheckpointIfIdle();
        scope.after(again, () -> trigger(Math.min(2 * again, LAST_RETRY_MS)));
    }

    void onCheckpointCompleted(long checkpoint) {
        if (isOver() || closing || !holding.isEmpty() || checkpoint <= afterCheckpoint) {
            return;
        }
        CompletedCheckpoint latest = job.gate().latestCompleted();
        if (latest == null || latest.getCheckpointID() != checkpoint) {
            return; // tasks do not commit what belongs to a savepoint
        }
        boolean first = lastCheckpoint == NONE;
        lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
        if (first) { // of several that overlap; others may complete before the section begins
            sections.requestSection(this::prepare);
        }
    }

    private void timeOut(Duration limit) {
        String why =
                "RETIRING took longer than "
                        + limit.toMillis()
                        + " ms ("
                        + DrrsOptions.RETIREMENT_TIMEOUT.key()
                        + ")";
        if (isOver()) {
            return;
        }
        if (closing) { // holds up all checkpoints: an ordinary failover ends that
            neighbours.active().get(0).fail(new RescaleFailedException(why));
        } else {
            end(why + (lastCheckpoint == NONE ? "; no checkpoint has completed meanwhile" : ""));
        }
    }

    /** In the section: no checkpoint follows the one that has completed. */
    private void prepare() {
        if (isOver()) {
            sections.sectionDone();
            return;
        }
        if (lastCheckpoint != NONE && vertex.lastSnapshot() != lastCheckpoint) {
            // A savepoint came between, or a checkpoint that failed: tasks are not told to commit
            // what belongs to it, the completion of a further checkpoint does that.
            sections.sectionDone();
            awaitCheckpoint();
            return;
        }
        closing = true;
        scope.predecessors().begin(this::prepareTasks);
    }

    private void prepareTasks() {
        if (isOver()) {
            return;
        }
        if (neighbours.notRunning() != null) {
            giveUp(neighbours.notRunning());
        } else {
            unprepared.addAll(running);
            // Behind the completion on the way to each task.
            running.forEach(
                    subtask ->
                            messenger.send(
                                    subtask.getCurrentExecutionAttempt(),
                                    new PrepareRetirement(scope.number())));
        }
    }

    private void onPrepared(Execution task) {
        if (unprepared.remove(task.getVertex()) && unprepared.isEmpty()) {
            if (lastCheckpoint == NONE) {
                close();
            } else {
                readLists();
            }
        }
    }

    private void readLists() {
        CompletedCheckpoint checkpoint = job.gate().latestCompleted();
        List<Execution> retiring =
                running.stream().map(ExecutionVertex::getCurrentExecutionAttempt).toList();
        FutureUtils.supplyAsync(() -> LeftState.read(checkpoint, retiring), job.gate().ioExecutor())
                .whenCompleteAsync(
                        (found, failure) -> {
                            if (isOver() || !retiring.stream().allMatch(this::isCurrent)) {
                                return; // a failover took them
                            }
                            if (failure != null) {
                                LOG.warn(
                                        "Subtasks {} of {} stay active, their operator state cannot"
                                                + " be kept.",
                                        subtasks,
                                        vertex.name(),
                                        failure);
                                giveUp(
                                        "their operator state cannot be kept: "
                                                + Causes.message(failure));
                            } else {
                                lists.putAll(found);
                                close();
                            }
                        },
                        job.mainThread());
    }

    private boolean isOver() {
        return !scope.steps().isAt(this);
    }

    private boolean isCurrent(Execution execution) {
        return execution == execution.getVertex().getCurrentExecutionAttempt();
    }

    /** The subtasks stay as they are, active and empty. */
    private void giveUp(String why) {
        sections.sectionDone();
        end(why);
    }

    private void end(String why) {
        scope.steps()
                .done(this, why == null ? null : "subtasks " + subtasks + " stay active: " + why);
    }

    private void close() {
        if (neighbours.notRunning() != null) {
            giveUp(neighbours.notRunning());
            return;
        }
        running.forEach(subtask -> job.retiring(subtask.getID()));
        List<Neighbours.Consumer> consumers = neighbours.consumers();
        for (int subtask : subtasks) {
            consumers.forEach(consumer -> openChannels.add(consumer.channel(subtask)));
            for (Neighbours.Input input : neighbours.inputs()) {
                openSubpartitions += input.predecessors().size();
                messenger.send(
                        input.predecessors(), new CloseSubpartition(input.dataSetId(), subtask));
            }
        }
    }

    /**
     * The subtask, or one of those that scale together with it, has ended: dormant from here on,
     * before anything else in the main thread can see it finished.
     */
    void onFinished(Execution execution) {
        ExecutionVertex subtask = execution.getVertex();
        left.add(execution.getAssignedResourceLocation().getResourceID());
        job.figures().keep(execution);
        subtask.resetForNewExecution();
        for (IntermediateResultPartition partition : subtask.getProducedPartitions().values()) {
            for (ConsumedPartitionGroup group : partition.getConsumedPartitionGroups()) {
                partition.getIntermediateResult().clearCachedInformationForPartitionGroup(group);
            }
        }
        int index = subtask.getParallelSubtaskIndex();
        Set<Integer> attempt = Set.of(subtask.getCurrentExecutionAttempt().getAttemptNumber());
        for (OperatorCoordinatorHolder coordinator :
                subtask.getJobVertex().getOperatorCoordinators()) {
            coordinator.setupSubtaskGatewayForAttempts(index, attempt);
        }
        vertex.deactivate(index);
        Map<OperatorID, OperatorSubtaskState> of = lists.getOrDefault(subtask.getID(), Map.of());
        job.retired().keep(subtask.getID(), of);
        if (!of.isEmpty()) {
            job.rescales().onListsLeft(vertex);
        }
        job.notRetiring(subtask.getID());
        running.remove(subtask);
        endIfDone();
    }

    private void onChannelClosed(Execution consumer, ChannelClosed closed) {
        if (openChannels.remove(
                new Neighbours.Channel(consumer.getAttemptId(), closed.gate(), closed.channel()))) {
            endIfDone();
        }
    }

    private void onSubpartitionReset(SubpartitionReset reset) {
        if (subtasks.contains(reset.subtask())) {
            openSubpartitions--;
            endIfDone();
        }
    }

    private void endIfDone() {
        if (running.isEmpty() && openSubpartitions == 0 && openChannels.isEmpty()) {
            activeCount.announce(
                    neighbours.groupActive(),
                    vertex.activeCount(),
                    () -> {
                        sections.sectionDone();
                        releaseSlots();
                        end(null);
                    });
        }
    }

    /** Another job, or the end of a TaskManager, need not wait until Flink finds them idle. */
    private void releaseSlots() {
        left.forEach(
                taskManager ->
                        DrrsSchedulerAccess.releaseUnusedSlots(
                                job.scheduler(), taskManager, "Its subtasks have retired."));
    }
}
