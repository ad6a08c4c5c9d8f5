package dev.drrs.runtime.role;

import dev.drrs.runtime.message.ActiveSubtasks;
import dev.drrs.runtime.message.ActiveSubtasksKnown;
import dev.drrs.runtime.message.CancelAlignment;
import dev.drrs.runtime.message.ChannelClosed;
import dev.drrs.runtime.message.ChannelOpened;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OfSubscale;
import dev.drrs.runtime.message.PrepareRetirement;
import dev.drrs.runtime.message.ReportLoad;
import dev.drrs.runtime.message.RetirementPrepared;
import dev.drrs.runtime.message.Together;
import dev.drrs.runtime.rehearsal.Rehearsals;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.EventTime;
import dev.drrs.runtime.task.InBandEvent;
import dev.drrs.runtime.task.TaskExtension;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamConfig.NetworkInputConfig;
import org.apache.flink.streaming.runtime.io.DataInputStatus;

/**
 * What a task of an elastic job does in a rescale, by the roles that it has: as predecessor it
 * routes; if its own vertex is elastic it is an owner or follows one; if not, it is a consumer of
 * results. Each role says what it handles, of the coordinator's events and of those that come in
 * order with records. Mailbox thread only.
 */
public final class TaskRescaler implements TaskExtension {

    private final ElasticTask task;
    private final Handlers<ElasticTask, Exception> ofCoordinator =
            new Handlers<>(any -> "from the coordinator");
    private final Handlers<Arrival, Exception> inBand =
            new Handlers<>(at -> "in channel " + at.channel());
    private final List<ElasticInput> inputs = new ArrayList<>();
    private final List<GateEventTime> eventTimes = new ArrayList<>();
    private final PredecessorRole predecessor;

    /** If the task's own vertex is elastic and keyed; there when all inputs are. */
    private OwnerRole owner;

    /** If the task's own vertex scales together with a keyed one before it. */
    private final FollowerRole follower;

    public TaskRescaler(ElasticTask task) {
        this.task = task;
        registerOfAnyTask();
        predecessor = new PredecessorRole(task);
        predecessor.register(ofCoordinator);
        follower = isFollower() ? new FollowerRole(task) : null;
        if (follower != null) {
            follower.register(ofCoordinator, inBand);
        } else {
            new ConsumedResults(task).register(inBand);
        }
    }

    private boolean isFollower() {
        return task.info().self() != null && task.info().self().follower();
    }

    private void registerOfAnyTask() {
        task.buffers().register(ofCoordinator);
        ofCoordinator
                .on(ActiveSubtasks.class, (from, active) -> activeSubtasks(active.count()))
                .on(PrepareRetirement.class, (from, prepare) -> answer(prepare))
                .on(
                        CancelAlignment.class,
                        (from, cancel) -> task.cancelAlignment(cancel.checkpoint()))
                .on(ReportLoad.class, (from, report) -> answer(report));
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
            owner.register(ofCoordinator, inBand);
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
        OwnerRehearsal.taskStarted(task);
        if (owner != null) {
            owner.onRunning();
        } else if (follower != null) {
            follower.onRunning();
        }
    }

    @Override
    public void onEvent(OperatorEvent event) throws Exception {
        if (event instanceof OfSubscale || event instanceof Together) {
            Rehearsals.OF_TASKS.inEarnest();
        }
        if (event instanceof Together together) {
            for (OperatorEvent one : together.messages()) {
                ofCoordinator.handle(task, one);
                if (owner != null) {
                    owner.follow();
                }
            }
        } else {
            ofCoordinator.handle(task, event);
        }
        settle();
    }

    @Override
    public DataInputStatus onInBandEvent(InBandEvent event, ElasticInput input, int channel)
            throws Exception {
        task.mails()
                .measure(
                        event.getClass().getSimpleName(),
                        () -> {
                            inBand.handle(new Arrival(input, channel), event);
                            settle();
                        });
        return DataInputStatus.MORE_AVAILABLE;
    }

    private void settle() {
        if (owner != null) {
            owner.settle();
        }
    }

    private void activeSubtasks(int count) throws IOException {
        task.activeSubtasks(count);
        task.sendToCoordinator(new ActiveSubtasksKnown(count));
    }

    private void answer(PrepareRetirement prepare) throws IOException {
        int subtask = task.environment().getTaskInfo().getIndexOfThisSubtask();
        task.sendToCoordinator(new RetirementPrepared(prepare.rescale(), subtask));
    }

    private void answer(ReportLoad report) throws IOException {
        StateSizes sizes = owner == null ? null : owner.sizes();
        task.sendToCoordinator(TaskLoad.of(task, report.request(), sizes));
    }

    @Override
    public void beforeEndOfData(boolean drained) throws Exception {
        predecessor.beforeEndOfData(drained);
    }

    @Override
    public void onEndOfData(ElasticInput input, int channel) throws Exception {
        if (owner != null) {
            owner.onEndOfData(input, channel);
        }
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
    public void close(Throwable failure) {
        if (owner != null) {
            owner.close(failure);
        }
    }
}
