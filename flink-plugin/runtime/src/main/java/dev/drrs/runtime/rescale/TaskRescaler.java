package dev.drrs.runtime.rescale;

import dev.drrs.runtime.message.ActiveSubtasks;
import dev.drrs.runtime.message.ActiveSubtasksKnown;
import dev.drrs.runtime.message.BeginRescale;
import dev.drrs.runtime.message.CancelAlignment;
import dev.drrs.runtime.message.ChannelClosed;
import dev.drrs.runtime.message.ChannelOpened;
import dev.drrs.runtime.message.CloseSubpartition;
import dev.drrs.runtime.message.ConsumerAligned;
import dev.drrs.runtime.message.DiscardSubpartition;
import dev.drrs.runtime.message.EndOfDataSent;
import dev.drrs.runtime.message.EndOfDataWaits;
import dev.drrs.runtime.message.LoadReport;
import dev.drrs.runtime.message.OpenSubpartition;
import dev.drrs.runtime.message.PrepareRetirement;
import dev.drrs.runtime.message.ReleasePredecessor;
import dev.drrs.runtime.message.ReportLoad;
import dev.drrs.runtime.message.Reroute;
import dev.drrs.runtime.message.RescaleBegun;
import dev.drrs.runtime.message.ResultsMayBegin;
import dev.drrs.runtime.message.RetirementPrepared;
import dev.drrs.runtime.message.RoutedRecords;
import dev.drrs.runtime.message.StopBroadcast;
import dev.drrs.runtime.message.SubpartitionOpened;
import dev.drrs.runtime.message.SubpartitionReset;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.EventTime;
import dev.drrs.runtime.task.InBandEvent;
import dev.drrs.runtime.task.OutEdgeWriter;
import dev.drrs.runtime.task.TaskExtension;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamConfig.NetworkInputConfig;
import org.apache.flink.streaming.runtime.io.DataInputStatus;

/**
 * What a task of an elastic job does in a rescale: as predecessor it routes, as consumer it opens
 * channels, and if its own vertex is elastic it is an owner or follows one. Mailbox thread only.
 */
public final class TaskRescaler implements TaskExtension {

    private final ElasticTask task;
    private final Set<Integer> rescales = new HashSet<>();
    private final List<ElasticInput> inputs = new ArrayList<>();
    private final List<GateEventTime> eventTimes = new ArrayList<>();

    /** If the task's own vertex is elastic and keyed; there when all inputs are. */
    private OwnerRole owner;

    /** If the task's own vertex scales together with a keyed one before it. */
    private final FollowerRole follower;

    /** If an elastic vertex is before the task and it does not scale together with it. */
    private final ConsumedResults results;

    /** The data of this task have ended: it waits to say so, or has. */
    private boolean endWaits;

    /** Rescales that have let it go since. */
    private final List<Integer> released = new ArrayList<>();

    public TaskRescaler(ElasticTask task) {
        this.task = task;
        this.follower = isFollower() ? new FollowerRole(task) : null;
        this.results = new ConsumedResults(task);
    }

    private boolean isFollower() {
        return task.info().self() != null && task.info().self().follower();
    }

    @Override
    public EventTime eventTime(ElasticInput input) {
        if (task.info().self() == null || isFollower()) {
            return null;
        }
        GateEventTime eventTime = new GateEventTime(inputs.size());
        inputs.add(input);
        eventTimes.add(eventTime);
        if (inputs.size() == networkInputs()) {
            owner = new OwnerRole(task, new OwnerInputs(inputs), eventTimes, task.info().self());
        }
        return eventTime;
    }

    private long networkInputs() {
        StreamConfig config = new StreamConfig(task.environment().getTaskConfiguration());
        ClassLoader loader = task.environment().getUserCodeClassLoader().asClassLoader();
        return Arrays.stream(config.getInputs(loader))
                .filter(input -> input instanceof NetworkInputConfig)
                .count();
    }

    @Override
    public void onRunning() throws Exception {
        if (owner != null) {
            owner.onRunning();
        } else if (follower != null) {
            follower.onRunning();
        }
    }

    @Override
    public void onEvent(OperatorEvent event) throws Exception {
        if (event instanceof OpenSubpartition open) {
            task.output(open.dataSetId()).open(open.subtask());
            task.sendToCoordinator(new SubpartitionOpened(open.dataSetId(), open.subtask()));
        } else if (event instanceof StopBroadcast stop) {
            stopBroadcast(stop);
        } else if (event instanceof DiscardSubpartition discard) {
            task.output(discard.dataSetId()).discard(discard.subtask());
        } else if (event instanceof Reroute reroute) {
            reroute(reroute);
        } else if (event instanceof CloseSubpartition close) {
            closeSubpartition(close);
        } else if (event instanceof BeginRescale begin) {
            begin(begin.rescale());
        } else if (event instanceof ReleasePredecessor release) {
            if (rescales.remove(release.rescale()) && endWaits) {
                released.add(release.rescale());
            }
        } else if (event instanceof ActiveSubtasks active) {
            task.activeSubtasks(active.count());
            task.sendToCoordinator(new ActiveSubtasksKnown(active.count()));
        } else if (event instanceof PrepareRetirement prepare) {
            int subtask = task.environment().getTaskInfo().getIndexOfThisSubtask();
            task.sendToCoordinator(new RetirementPrepared(prepare.rescale(), subtask));
        } else if (event instanceof CancelAlignment cancel) {
            task.cancelAlignment(cancel.checkpoint());
        } else if (event instanceof ReportLoad report) {
            task.sendToCoordinator(load(report.request()));
        } else if (event instanceof ResultsMayBegin may && follower != null) {
            follower.onResultsMayBegin(may);
        } else if (!task.buffers().onEvent(event) && (owner == null || !owner.onEvent(event))) {
            throw new IllegalStateException("unexpected event from the coordinator: " + event);
        }
    }

    /** One that waits to say its end already does not take part any more. */
    private void begin(int rescale) throws IOException {
        task.sendToCoordinator(new RescaleBegun(rescale, endWaits));
        if (!endWaits) {
            rescales.add(rescale);
        }
    }

    private void closeSubpartition(CloseSubpartition close) throws IOException {
        OutEdgeWriter output = task.output(close.dataSetId());
        output.close(close.subtask(), new EndOfChannel());
        output.reset(close.subtask())
                .thenRun(
                        () ->
                                task.executeIfRunning(
                                        () ->
                                                task.sendToCoordinator(
                                                        new SubpartitionReset(
                                                                close.dataSetId(),
                                                                close.subtask())),
                                        "subpartition is ready for another consumer"));
    }

    /**
     * The end is the last that owners hear of this task: it waits here until no subscale is under
     * way that expects a signal of it. All records and watermarks have gone out.
     */
    @Override
    public void beforeEndOfData() throws Exception {
        if (endWaits) {
            return; // for another output
        }
        endWaits = true;
        for (int rescale : rescales) {
            task.sendToCoordinator(new EndOfDataWaits(rescale));
        }
        while (!rescales.isEmpty()) {
            task.yieldToMail();
        }
        for (int rescale : released) {
            task.sendToCoordinator(new EndOfDataSent(rescale));
        }
    }

    @Override
    public void onEndOfData(ElasticInput input, int channel) throws Exception {
        if (owner != null) {
            owner.onEndOfData(input, channel);
        }
    }

    /**
     * One action: the new routing, then the signals behind the last record that went the old way.
     */
    private void reroute(Reroute reroute) throws IOException {
        for (String dataSetId : reroute.dataSetIds()) {
            OutEdgeWriter output = task.output(dataSetId);
            task.route(dataSetId, reroute.move().keyGroups(), reroute.move().newOwner());
            output.sendEvent(reroute.move().oldOwner(), new ConfirmBarrier(reroute.move().id()));
            output.sendEvent(reroute.move().newOwner(), new SwitchBarrier(reroute.move().id()));
        }
    }

    /** One action: all subtasks, new ones too, find the barrier at the same place. */
    private void stopBroadcast(StopBroadcast stop) throws IOException {
        for (String dataSetId : stop.dataSetIds()) {
            OutEdgeWriter output = task.output(dataSetId);
            for (int fresh : stop.fresh()) {
                output.open(fresh);
            }
            for (int i = 0; i < output.subpartitions(); i++) {
                if (!output.isDormant(i)) {
                    output.sendEvent(i, new BroadcastBarrier(stop.rescale()));
                }
            }
        }
    }

    private LoadReport load(long request) throws IOException {
        List<RoutedRecords> routed = new ArrayList<>();
        for (OutEdgeWriter output : task.outputs()) {
            if (output.routing() != null) {
                routed.add(
                        new RoutedRecords(
                                output.edge().consumerVertexId(),
                                output.routing().records().clone()));
            }
        }
        StateSizes sizes = owner == null || !owner.isSupported() ? null : owner.sizes();
        if (sizes == null) {
            return new LoadReport(request, routed, null, null);
        }
        long[] entries = new long[task.info().self().maxParallelism()];
        long[] bytes = new long[entries.length];
        for (int i = 0; i < sizes.numberOfKeyGroups(); i++) {
            int keyGroup = sizes.firstKeyGroup() + i;
            entries[keyGroup] = sizes.entries(keyGroup);
            bytes[keyGroup] = sizes.bytes(keyGroup);
        }
        return new LoadReport(request, routed, entries, bytes);
    }

    @Override
    public void onChannelOpened(int gateIndex, int channelIndex, long clock) throws Exception {
        task.sendToCoordinator(new ChannelOpened(gateIndex, channelIndex, clock));
    }

    @Override
    public void onProducerRetired() throws Exception {
        if (follower != null) {
            follower.onProducerRetired();
        }
    }

    @Override
    public void onChannelClosed(int gateIndex, int channelIndex) throws Exception {
        task.sendToCoordinator(new ChannelClosed(gateIndex, channelIndex));
    }

    @Override
    public DataInputStatus onInBandEvent(InBandEvent event, ElasticInput input, int channel)
            throws Exception {
        if (event instanceof ConfirmBarrier confirm) {
            owner.onConfirm(input, channel, confirm.subscale());
        } else if (event instanceof SwitchBarrier switched) {
            owner.onSwitch(input, channel, switched.subscale());
        } else if (event instanceof BroadcastBarrier barrier) {
            owner.onBroadcastBarrier(input, channel, barrier.rescale());
        } else if (event instanceof WriteOutSignal signal) {
            if (follower != null) {
                follower.onWriteOut(signal);
            }
        } else if (event instanceof EndOfChannel) {
            owner.onEndOfChannel(input, channel);
        } else if (event instanceof ResultsEnd end && follower != null) {
            follower.onResultsEnd(end);
        } else if (event instanceof ResultsBegin begin && follower != null) {
            follower.onResultsBegin(input.channel(channel), begin);
        } else if (event instanceof ResultsEnd end) {
            results.onEnd(input.channel(channel), end);
        } else if (event instanceof ResultsBegin begin) {
            results.onBegin(input.channel(channel), begin);
        } else if (event instanceof AlignBarrier align && follower != null) {
            follower.onAlign(input, channel, align);
        } else if (event instanceof AlignBarrier align) {
            task.sendToCoordinator(
                    new ConsumerAligned(align.subscale(), input.eventTime().align(channel)));
        } else {
            throw new IllegalStateException(
                    "unexpected event in channel " + channel + ": " + event);
        }
        return DataInputStatus.MORE_AVAILABLE;
    }

    @Override
    public void close(Throwable failure) {
        if (owner != null) {
            owner.close(failure);
        }
    }
}
