package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.Causes;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResultPartition;
import org.apache.flink.runtime.executiongraph.PartitionInfo;
import org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException;
import org.apache.flink.runtime.jobmaster.LogicalSlot;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ConsumedPartitionGroup;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.concurrent.FutureUtils;

/**
 * Brings dormant subtasks to work, with those of the vertices that scale together: slots, network
 * buffers, deployment, channels of the consumers, subpartitions of the predecessors, in this order.
 * Slots are asked for while the executions are still CREATED, so that one that does not come costs
 * nothing; from deployment on everything is one section, apart from checkpoints.
 *
 * <p>Consumers open first, active and at their present event time; only then predecessors send,
 * first of all where they stand. So no consumer's event time moves back or stands still for ever
 * (rule R4). Main thread.
 */
final class Provisioning {

    private static final long ASK_AGAIN_MS = 1_000;

    /** Who is told how it ends. */
    interface Listener {

        /** Slots and buffers are there; {@link Provisioning#deployInTurn} may follow. */
        void slotsReady();

        /** The subtasks are active; the section is over. */
        void provisioned();

        /** Nothing was deployed and no slot is held. */
        void provisioningFailed(String reason);
    }

    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final Neighbours neighbours;
    private final Predecessors predecessors;
    private final TaskMessenger messenger;
    private final Listener listener;
    private final ActiveCount activeCount;
    private final List<Integer> subtasks;
    private final BufferCheck buffers;
    private final BroadcastPause broadcast;
    private final StaleBarriers stale;

    private final Map<ExecutionAttemptID, CompletableFuture<LogicalSlot>> slots = new HashMap<>();
    private boolean deployed;
    private boolean over;

    private final Set<ExecutionVertex> toStart = new HashSet<>();
    private final Set<ExecutionVertex> toGreet = new HashSet<>();
    private boolean connecting;

    /** Channels of consumers that are not open yet. */
    private final Set<Neighbours.Channel> closedChannels = new HashSet<>();

    /** By new subtask: event times of the consumers whose channel is open. */
    private final Map<Integer, List<Long>> consumerClocks = new HashMap<>();

    private int closedSubpartitions;

    Provisioning(
            ElasticJob job,
            ElasticVertex vertex,
            Neighbours neighbours,
            Predecessors predecessors,
            TaskMessenger messenger,
            ActiveCount activeCount,
            List<Integer> subtasks,
            BufferCheck buffers,
            BroadcastPause broadcast,
            StaleBarriers stale,
            Listener listener) {
        this.job = job;
        this.vertex = vertex;
        this.neighbours = neighbours;
        this.predecessors = predecessors;
        this.messenger = messenger;
        this.activeCount = activeCount;
        this.subtasks = subtasks;
        this.buffers = buffers;
        this.broadcast = broadcast;
        this.stale = stale;
        this.listener = listener;
    }

    boolean isDeployed() {
        return deployed;
    }

    void begin() {
        if (subtasks.isEmpty()) {
            checkBuffers();
            return;
        }
        List<ExecutionAttemptID> attempts = new ArrayList<>();
        for (int subtask : subtasks) {
            for (ExecutionVertex member : neighbours.groupSubtasks(subtask)) {
                attempts.add(member.getCurrentExecutionAttempt().getAttemptId());
            }
        }
        request(attempts);
    }

    private void request(List<ExecutionAttemptID> attempts) {
        slots.putAll(DrrsSchedulerAccess.requestSlots(job.scheduler(), attempts));
        FutureUtils.combineAll(slots.values())
                .whenCompleteAsync((all, failure) -> requested(failure), job.mainThread());
    }

    private void requested(Throwable failure) {
        if (over) {
            return;
        }
        if (failure == null && lost().isEmpty()) {
            checkBuffers();
        } else if (failure == null
                || ExceptionUtils.findThrowable(failure, NoResourceAvailableException.class)
                        .isPresent()) {
            // The resource manager says at once that it has no more. TaskManagers may still join,
            // which it tells nobody: the phase has its own limit.
            job.mainThread().schedule(this::requestAgain, ASK_AGAIN_MS, TimeUnit.MILLISECONDS);
        } else {
            giveUp("a slot did not come: " + Causes.message(failure));
        }
    }

    private void requestAgain() {
        if (over) {
            return;
        }
        request(lost());
    }

    private void checkBuffers() {
        buffers.begin(
                this::place,
                fault -> {
                    if (over) {
                        return;
                    }
                    if (fault == null) {
                        listener.slotsReady();
                    } else {
                        giveUp(fault);
                    }
                });
    }

    /** Where the slot is that was got for a subtask; null for one that is there. */
    private ResourceID place(ExecutionVertex subtask) {
        CompletableFuture<LogicalSlot> slot =
                slots.get(subtask.getCurrentExecutionAttempt().getAttemptId());
        return slot == null ? null : slot.join().getTaskManagerLocation().getResourceID();
    }

    /** Whose slot did not come, or went with its TaskManager while others were waited for. */
    private List<ExecutionAttemptID> lost() {
        return slots.entrySet().stream()
                .filter(
                        slot ->
                                slot.getValue().isCompletedExceptionally()
                                        || slot.getValue().isDone()
                                                && !slot.getValue().join().isAlive())
                .map(Map.Entry::getKey)
                .toList();
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
            broadcast.requestSection(() -> predecessors.begin(this::deploy));
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
            broadcast.sectionDone();
            return;
        }
        String notRunning = neighbours.notRunning();
        if (notRunning != null) {
            broadcast.sectionDone();
            giveUp(notRunning);
            return;
        }
        deployed = true;
        List<ExecutionVertex> vertices =
                subtasks.stream().flatMap(i -> neighbours.groupSubtasks(i).stream()).toList();
        for (ExecutionVertex subtask : vertices) {
            job.activating(subtask.getID());
            // What a restore once assigned to a dormant subtask is out of date by now.
            subtask.getCurrentExecutionAttempt()
                    .setInitialState(
                            broadcast.initialState(
                                    subtask,
                                    job.retired().take(subtask, subtasks, vertex.lastSnapshot())));
        }
        toStart.addAll(vertices);
        toGreet.addAll(vertices);
        DrrsSchedulerAccess.deploy(
                job.scheduler(), vertices.stream().map(ExecutionVertex::getID).toList());
    }

    void onTaskState(Execution execution, ExecutionState state) {
        if (state == ExecutionState.RUNNING && toStart.remove(execution.getVertex())) {
            connectIfStarted();
        }
    }

    void onHello(Execution execution) {
        if (toGreet.remove(execution.getVertex())) {
            connectIfStarted();
        }
    }

    /** Subtasks that run but whose TaskManager has not answered for the plug-in. */
    Set<ExecutionVertex> silent() {
        Set<ExecutionVertex> silent = new HashSet<>(toGreet);
        silent.removeAll(toStart);
        return silent;
    }

    private void connectIfStarted() {
        if (over || connecting || !toStart.isEmpty() || !toGreet.isEmpty()) {
            return;
        }
        connecting = true;
        stale.cancelAtNew(
                subtasks.stream()
                        .flatMap(subtask -> neighbours.groupSubtasks(subtask).stream())
                        .map(ExecutionVertex::getCurrentExecutionAttempt)
                        .toList());
        List<Neighbours.Consumer> consumers = neighbours.consumers();
        for (int subtask : subtasks) {
            consumers.forEach(consumer -> closedChannels.add(consumer.channel(subtask)));
            consumerClocks.put(subtask, new ArrayList<>());
        }
        for (int subtask : subtasks) {
            neighbours.groupSubtasks(subtask).forEach(member -> announce(member, consumers));
        }
        openPredecessorsIfConnected();
    }

    /** Tells each consumer where the partitions of the new subtask are. */
    private void announce(ExecutionVertex subtask, List<Neighbours.Consumer> consumers) {
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
            consumers.stream()
                    .filter(consumer -> consumer.dataSet().equals(info.getIntermediateDataSetID()))
                    .forEach(consumer -> announce(info, consumer.task()));
        }
    }

    private void announce(PartitionInfo info, Execution consumer) {
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

    void onChannelOpened(Execution consumer, ChannelOpened opened) {
        Neighbours.Channel channel =
                new Neighbours.Channel(consumer.getAttemptId(), opened.gate(), opened.channel());
        if (over || !closedChannels.remove(channel)) {
            return;
        }
        consumerClocks.get(opened.channel()).add(opened.clock());
        openPredecessorsIfConnected();
    }

    private void openPredecessorsIfConnected() {
        if (!closedChannels.isEmpty()) {
            return;
        }
        for (int subtask : subtasks) {
            Collection<Long> clocks = consumerClocks.get(subtask);
            long lowest = clocks.stream().mapToLong(Long::longValue).min().orElse(Long.MIN_VALUE);
            long highest = clocks.stream().mapToLong(Long::longValue).max().orElse(Long.MIN_VALUE);
            messenger.send(neighbours.execution(subtask), new Activated(lowest, highest));
            for (Neighbours.Input input : neighbours.inputs()) {
                if (input.broadcast()) {
                    continue; // open since the barrier
                }
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
            neighbours.groupSubtasks(subtask).forEach(member -> job.notActivating(member.getID()));
        }
        activeCount.announce(neighbours.groupActive(), vertex.activeCount(), this::done);
    }

    private void done() {
        if (!over) {
            over = true;
            broadcast.sectionDone();
            listener.provisioned();
        }
    }
}
