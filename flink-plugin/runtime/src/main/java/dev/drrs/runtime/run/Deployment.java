package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.message.Activated;
import dev.drrs.runtime.message.ChannelOpened;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OpenSubpartition;
import dev.drrs.runtime.message.SubpartitionOpened;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResultPartition;
import org.apache.flink.runtime.executiongraph.PartitionInfo;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ConsumedPartitionGroup;

/**
 * Brings dormant subtasks to work, with those of the vertices that scale together: deployment,
 * channels of the consumers, subpartitions of the predecessors, in this order and as one section,
 * apart from checkpoints.
 *
 * <p>Consumers open first, active and at their present event time; only then predecessors send,
 * first of all where they stand. So no consumer's event time moves back or stands still for ever
 * (rule R4). Main thread.
 */
final class Deployment implements Step {

    private final RunScope scope;
    private final ElasticJob job;
    private final Neighbours neighbours;
    private final List<Integer> subtasks;
    private final SlotRequest slots;
    private final BroadcastPause broadcast;
    private final StaleBarriers stale;
    private final ActiveCount activeCount;

    private boolean deployed;

    private final Set<ExecutionVertex> toStart = new HashSet<>();
    private final Set<ExecutionVertex> toGreet = new HashSet<>();
    private boolean connecting;

    /** Channels of consumers that are not open yet. */
    private final Set<Neighbours.Channel> closedChannels = new HashSet<>();

    /** By new subtask: event times of the consumers whose channel is open. */
    private final Map<Integer, List<Long>> consumerClocks = new HashMap<>();

    private int closedSubpartitions;

    Deployment(
            RunScope scope,
            SlotRequest slots,
            BroadcastPause broadcast,
            StaleBarriers stale,
            ActiveCount activeCount) {
        this.scope = scope;
        this.job = scope.job();
        this.neighbours = scope.neighbours();
        this.subtasks = scope.fresh();
        this.slots = slots;
        this.broadcast = broadcast;
        this.stale = stale;
        this.activeCount = activeCount;
    }

    /** Whether new subtasks are there, from then on for good. */
    boolean isDeployed() {
        return deployed;
    }

    @Override
    public Phase phase() {
        return Phase.PROVISIONING;
    }

    /** What is deployed can only come to work. */
    @Override
    public boolean turn(Course course) {
        return deployed;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(ChannelOpened.class, this::onChannelOpened)
                .on(SubpartitionOpened.class, (task, opened) -> onSubpartitionOpened(opened));
    }

    /** Deploys as soon as no checkpoint is under way. */
    @Override
    public void begin() {
        if (subtasks.isEmpty()) {
            scope.steps().done(this);
        } else {
            broadcast.requestSection(() -> scope.predecessors().begin(this::deploy));
        }
    }

    private void deploy() {
        if (!scope.steps().isAt(this)) {
            broadcast.sectionDone();
            return;
        }
        String notRunning = neighbours.notRunning();
        if (notRunning != null) {
            broadcast.sectionDone();
            scope.steps().giveUp(this, notRunning);
            return;
        }
        deployed = true;
        slots.deployed();
        List<ExecutionVertex> vertices =
                subtasks.stream().flatMap(i -> neighbours.groupSubtasks(i).stream()).toList();
        for (ExecutionVertex subtask : vertices) {
            job.activating(subtask.getID());
            // What a restore once assigned to a dormant subtask is out of date by now.
            subtask.getCurrentExecutionAttempt()
                    .setInitialState(
                            broadcast.initialState(
                                    subtask,
                                    job.retired()
                                            .take(
                                                    subtask,
                                                    subtasks,
                                                    scope.vertex().lastSnapshot())));
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
        if (!scope.steps().isAt(this) || connecting || !toStart.isEmpty() || !toGreet.isEmpty()) {
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

    private void onChannelOpened(Execution consumer, ChannelOpened opened) {
        Neighbours.Channel channel =
                new Neighbours.Channel(consumer.getAttemptId(), opened.gate(), opened.channel());
        if (!scope.steps().isAt(this) || !closedChannels.remove(channel)) {
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
            boolean awaitsSubscale =
                    scope.subscales().stream().anyMatch(s -> s.newOwner() == subtask);
            scope.messenger()
                    .send(
                            neighbours.execution(subtask),
                            new Activated(lowest, highest, awaitsSubscale));
            for (Neighbours.Input input : neighbours.inputs()) {
                if (input.broadcast()) {
                    continue; // open since the barrier
                }
                closedSubpartitions += input.predecessors().size();
                scope.messenger()
                        .send(
                                input.predecessors(),
                                new OpenSubpartition(input.dataSetId(), subtask));
            }
        }
    }

    private void onSubpartitionOpened(SubpartitionOpened opened) {
        if (!scope.steps().isAt(this)
                || !subtasks.contains(opened.subtask())
                || --closedSubpartitions > 0) {
            return;
        }
        for (int subtask : subtasks) {
            scope.vertex().activate(subtask);
            neighbours.groupSubtasks(subtask).forEach(member -> job.notActivating(member.getID()));
        }
        activeCount.announce(neighbours.groupActive(), scope.vertex().activeCount(), this::done);
    }

    private void done() {
        if (scope.steps().isAt(this)) {
            broadcast.sectionDone();
            scope.steps().done(this);
        }
    }
}
