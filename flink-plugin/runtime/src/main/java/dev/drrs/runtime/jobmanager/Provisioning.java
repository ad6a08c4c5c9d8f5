package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.message.Activated;
import dev.drrs.runtime.message.ChannelOpened;
import dev.drrs.runtime.message.OpenSubpartition;
import dev.drrs.runtime.message.SubpartitionOpened;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResultPartition;
import org.apache.flink.runtime.executiongraph.PartitionInfo;
import org.apache.flink.runtime.jobmaster.LogicalSlot;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ConsumedPartitionGroup;
import org.apache.flink.util.concurrent.FutureUtils;

/**
 * Brings dormant subtasks to work: slots, deployment, channels of the consumers, subpartitions of
 * the predecessors, in this order. Slots are asked for while the executions are still CREATED, so
 * that one that does not come costs nothing; from deployment on everything is one section, apart
 * from checkpoints.
 *
 * <p>Consumers open first, active and at their present event time; only then predecessors send,
 * first of all where they stand. So no consumer's event time moves back or stands still for ever
 * (rule R4). Main thread.
 */
final class Provisioning {

    /** Who is told how it ends. */
    interface Listener {

        /** The slots are there; {@link Provisioning#deployInTurn} may follow. */
        void slotsReady();

        /** The subtasks are active; the section is over. */
        void provisioned();

        /** Nothing was deployed and no slot is held. */
        void provisioningFailed(String reason);
    }

    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final RunSections sections;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private final Listener listener;
    private final ActiveCount activeCount;
    private final List<Integer> subtasks;

    private Map<ExecutionAttemptID, CompletableFuture<LogicalSlot>> slots = Map.of();
    private boolean deployed;
    private boolean over;

    private final Set<Integer> toStart = new HashSet<>();
    private final Set<Integer> toGreet = new HashSet<>();

    /**
     * By new subtask: the consumers whose channel is not open yet, and the event times of the
     * others.
     */
    private final Map<Integer, Set<ExecutionAttemptID>> closedChannels = new TreeMap<>();

    private final Map<Integer, List<Long>> consumerClocks = new HashMap<>();
    private int closedSubpartitions;

    Provisioning(
            ElasticJob job,
            ElasticVertex vertex,
            RunSections sections,
            Neighbours neighbours,
            TaskMessenger messenger,
            ActiveCount activeCount,
            List<Integer> subtasks,
            Listener listener) {
        this.job = job;
        this.vertex = vertex;
        this.sections = sections;
        this.neighbours = neighbours;
        this.messenger = messenger;
        this.activeCount = activeCount;
        this.subtasks = subtasks;
        this.listener = listener;
    }

    boolean isDeployed() {
        return deployed;
    }

    void begin() {
        if (subtasks.isEmpty()) {
            listener.slotsReady();
            return;
        }
        List<ExecutionAttemptID> attempts = new ArrayList<>();
        for (int subtask : subtasks) {
            attempts.add(neighbours.execution(subtask).getAttemptId());
        }
        slots = DrrsSchedulerAccess.requestSlots(job.scheduler(), attempts);
        FutureUtils.combineAll(slots.values())
                .whenCompleteAsync(
                        (all, failure) -> {
                            if (over) {
                                return;
                            }
                            if (failure != null) {
                                giveUp("a slot did not come: " + Reasons.of(failure));
                            } else {
                                listener.slotsReady();
                            }
                        },
                        job.mainThread());
    }

    /** Deploys as soon as no checkpoint is under way. */
    void deployInTurn() {
        if (over) {
            return;
        }
        if (subtasks.isEmpty()) {
            over = true;
            listener.provisioned();
        } else {
            sections.requestSection(this::deploy);
        }
    }

    /** Ends it if nothing is deployed yet; slots go back. Afterwards it cannot be stopped. */
    void giveUp(String reason) {
        if (over || deployed) {
            return;
        }
        over = true;
        releaseSlots();
        listener.provisioningFailed(reason);
    }

    /** A failover goes on: what is deployed belongs to it, slots that are only held go back. */
    void interrupted() {
        if (!over && !deployed) {
            releaseSlots();
        }
        over = true;
    }

    private void releaseSlots() {
        slots.forEach(
                (attempt, slot) -> {
                    if (slot.isDone() && !slot.isCompletedExceptionally()) {
                        slot.join().releaseSlot(null);
                    } else {
                        DrrsSchedulerAccess.cancelSlotRequest(job.scheduler(), attempt);
                    }
                });
    }

    private void deploy() {
        if (over) {
            sections.sectionDone();
            return;
        }
        String notRunning = neighbours.notRunning();
        if (notRunning != null) {
            sections.sectionDone();
            giveUp(notRunning);
            return;
        }
        deployed = true;
        List<ExecutionVertex> vertices = subtasks.stream().map(neighbours::subtask).toList();
        for (ExecutionVertex subtask : vertices) {
            job.activating(subtask.getID());
            toStart.add(subtask.getParallelSubtaskIndex());
            toGreet.add(subtask.getParallelSubtaskIndex());
            // What a restore once assigned to a dormant subtask is out of date by now.
            subtask.getCurrentExecutionAttempt()
                    .setInitialState(job.retired().take(subtask, subtasks, vertex.lastSnapshot()));
        }
        DrrsSchedulerAccess.deploy(
                job.scheduler(), vertices.stream().map(ExecutionVertex::getID).toList());
    }

    void onTaskState(Execution execution, ExecutionState state) {
        if (deployed && state == ExecutionState.RUNNING && isOurs(execution)) {
            toStart.remove(execution.getParallelSubtaskIndex());
            connectIfStarted();
        }
    }

    void onHello(Execution execution) {
        if (deployed && isOurs(execution)) {
            toGreet.remove(execution.getParallelSubtaskIndex());
            connectIfStarted();
        }
    }

    /** Subtasks that run but whose TaskManager has not answered for the plug-in. */
    Set<Integer> silent() {
        Set<Integer> silent = new HashSet<>(toGreet);
        silent.removeAll(toStart);
        return silent;
    }

    private boolean isOurs(Execution execution) {
        return execution.getVertex().getJobvertexId().equals(vertex.id())
                && subtasks.contains(execution.getParallelSubtaskIndex());
    }

    private void connectIfStarted() {
        if (over || !toStart.isEmpty() || !toGreet.isEmpty() || !closedChannels.isEmpty()) {
            return;
        }
        List<Execution> consumers = neighbours.consumers();
        for (int subtask : subtasks) {
            Set<ExecutionAttemptID> closed = new HashSet<>();
            consumers.forEach(consumer -> closed.add(consumer.getAttemptId()));
            closedChannels.put(subtask, closed);
            consumerClocks.put(subtask, new ArrayList<>());
        }
        for (int subtask : subtasks) {
            announce(neighbours.subtask(subtask));
        }
        openPredecessorsIfConnected();
    }

    /** Tells each consumer where the partitions of the new subtask are. */
    private void announce(ExecutionVertex subtask) {
        for (IntermediateResultPartition partition : subtask.getProducedPartitions().values()) {
            for (ConsumedPartitionGroup group : partition.getConsumedPartitionGroups()) {
                partition.getIntermediateResult().clearCachedInformationForPartitionGroup(group);
            }
            PartitionInfo info =
                    new PartitionInfo(
                            partition.getIntermediateResult().getId(),
                            subtask.getCurrentExecutionAttempt()
                                    .getResultPartitionDeploymentDescriptor(
                                            partition.getPartitionId())
                                    .orElseThrow()
                                    .getShuffleDescriptor());
            for (Execution consumer : neighbours.consumers()) {
                consumer.getAssignedResource()
                        .getTaskManagerGateway()
                        .updatePartitions(consumer.getAttemptId(), List.of(info), job.rpcTimeout())
                        .whenCompleteAsync(
                                (ack, failure) -> {
                                    if (failure != null) {
                                        consumer.fail(failure);
                                    }
                                },
                                job.mainThread());
            }
        }
    }

    void onChannelOpened(Execution consumer, ChannelOpened opened) {
        Set<ExecutionAttemptID> closed = closedChannels.get(opened.channel());
        if (over || closed == null || !closed.remove(consumer.getAttemptId())) {
            return;
        }
        consumerClocks.get(opened.channel()).add(opened.clock());
        openPredecessorsIfConnected();
    }

    private void openPredecessorsIfConnected() {
        if (closedChannels.values().stream().anyMatch(closed -> !closed.isEmpty())) {
            return;
        }
        for (int subtask : subtasks) {
            Collection<Long> clocks = consumerClocks.get(subtask);
            long lowest = clocks.stream().mapToLong(Long::longValue).min().orElse(Long.MIN_VALUE);
            long highest = clocks.stream().mapToLong(Long::longValue).max().orElse(Long.MIN_VALUE);
            messenger.send(neighbours.execution(subtask), new Activated(lowest, highest));
            for (Neighbours.Input input : neighbours.inputs()) {
                closedSubpartitions += input.predecessors().size();
                messenger.send(
                        input.predecessors(), new OpenSubpartition(input.dataSetId(), subtask));
            }
        }
    }

    void onSubpartitionOpened(SubpartitionOpened opened) {
        if (over || !subtasks.contains(opened.subtask()) || --closedSubpartitions > 0) {
            return;
        }
        for (int subtask : subtasks) {
            vertex.activate(subtask);
            job.notActivating(neighbours.subtask(subtask).getID());
        }
        activeCount.announce(neighbours.active(), this::done);
    }

    private void done() {
        if (!over) {
            over = true;
            sections.sectionDone();
            listener.provisioned();
        }
    }
}
