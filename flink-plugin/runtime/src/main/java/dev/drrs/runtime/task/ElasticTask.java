package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import dev.drrs.flink.TaskAccess;
import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.DrrsIds;
import dev.drrs.runtime.ElasticTaskInfo;
import dev.drrs.runtime.ElasticTaskInfo.InEdge;
import dev.drrs.runtime.ElasticTaskInfo.OutEdge;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.peer.PeerNetwork;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.RecordWriterDelegate;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.util.SerializedValue;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plug-in's part of a task of an elastic job: its outputs, gates and inputs, and the way to the
 * coordinator. Made when the task starts to restore, before it reads or emits anything; hangs at
 * Flink's task.
 *
 * <p>All state belongs to the mailbox thread of the task. Only {@link #execute}, {@link
 * #executeIfRunning}, {@link #executeUncounted}, {@link #fail} and {@link #sendToCoordinator} may
 * be called in other threads.
 */
public final class ElasticTask {

    private static final Logger LOG = LoggerFactory.getLogger(ElasticTask.class);

    private final StreamTask<?, ?> streamTask;
    private final Environment environment;
    private final ElasticTaskInfo info;
    private final List<OutEdgeWriter> outputs = new ArrayList<>();
    private final List<ElasticInputGate> gates = new ArrayList<>();
    private final List<ElasticInput> inputs = new ArrayList<>();
    private final BufferReservations buffers = new BufferReservations(this);
    private final MailTimes mails = new MailTimes();
    private TaskExtension extension;
    private BarrierChannels barrierChannels;
    private int activeSubtasks;

    private ElasticTask(StreamTask<?, ?> streamTask, ElasticTaskInfo info) {
        this.streamTask = streamTask;
        this.info = info;
        environment = streamTask.getEnvironment();
        activeSubtasks = info.self() == null ? 0 : info.self().activeCount();
    }

    /** The plug-in's part of the task; null if its job is not elastic, or before it restores. */
    public static ElasticTask of(StreamTask<?, ?> streamTask) {
        return streamTask instanceof HookHolder holder ? (ElasticTask) holder.drrsHook() : null;
    }

    /**
     * To be called from the task when it starts to restore.
     *
     * @param extension makes what is to hear of the task's events, if its job is elastic
     */
    public static void restoring(
            StreamTask<?, ?> streamTask, Function<ElasticTask, TaskExtension> extension) {
        if (of(streamTask) != null) {
            return;
        }
        ElasticTaskInfo info =
                ElasticTaskInfo.decode(streamTask.getEnvironment().getTaskConfiguration());
        if (info == null) {
            return;
        }
        ElasticTask self = new ElasticTask(streamTask, info);
        self.attachOutputs();
        if (info.self() != null || !info.inputs().isEmpty()) {
            self.attachGates();
        }
        self.extension = extension.apply(self);
        ((HookHolder) streamTask).drrsHook(self);
        LOG.debug("{}: elastic, {}, {}", streamTask.getName(), self.outputs, self.gates);
    }

    /** Called from the task when it has restored and is about to run. */
    public static void restored(StreamTask<?, ?> streamTask) throws Exception {
        ElasticTask self = of(streamTask);
        if (self != null) {
            self.sendToCoordinator(self.hello());
            self.extension.onRunning();
        }
    }

    /**
     * Called from the task when it ends, for whatever reason.
     *
     * @param failure null if it does not fail
     */
    public static void ending(StreamTask<?, ?> streamTask, Throwable failure) throws Exception {
        ElasticTask self = of(streamTask);
        if (self != null) {
            self.buffers.close();
            self.extension.close(failure);
        }
    }

    /**
     * Called from the task for each operator event, in an RPC thread.
     *
     * @return whether it is one of the plug-in's: those go to the extension, in the mailbox
     */
    public static boolean takeEvent(
            StreamTask<?, ?> streamTask,
            OperatorID operator,
            SerializedValue<OperatorEvent> event) {
        if (!DrrsIds.OPERATOR_ID.equals(operator)) {
            return false;
        }
        ThrowingRunnable<Exception> deliver =
                () -> {
                    ElasticTask self = of(streamTask);
                    if (self == null) {
                        throw new IllegalStateException(
                                "event of the plug-in for a task that is not elastic");
                    }
                    OperatorEvent message =
                            event.deserializeValue(ElasticTask.class.getClassLoader());
                    self.mails.measure(
                            message.getClass().getSimpleName(),
                            () -> self.extension.onEvent(message));
                };
        try {
            streamTask
                    .getEnvironment()
                    .getMainMailboxExecutor()
                    .execute(deliver, "event of the rescale coordinator");
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: has ended, event dropped", streamTask.getName());
        }
        return true;
    }

    public StreamTask<?, ?> streamTask() {
        return streamTask;
    }

    public Environment environment() {
        return environment;
    }

    /**
     * Sends the event to each active consumer of each output, after everything that was emitted
     * before. Mailbox thread.
     */
    public void sendToConsumers(InBandEvent event) throws IOException {
        for (OutEdgeWriter output : outputs) {
            output.sendToAll(event);
        }
    }

    public ElasticTaskInfo info() {
        return info;
    }

    public TaskExtension extension() {
        return extension;
    }

    /** How long mails of the plug-in took. Mailbox thread. */
    public MailTimes mails() {
        return mails;
    }

    /** The network buffers that rescales are to find. */
    public BufferReservations buffers() {
        return buffers;
    }

    /** Outputs whose consumer or own vertex is elastic. */
    public List<OutEdgeWriter> outputs() {
        return outputs;
    }

    /**
     * The output that writes this data set.
     *
     * @param dataSetId hex of the IntermediateDataSetID
     * @throws IllegalArgumentException if there is none
     */
    public OutEdgeWriter output(String dataSetId) {
        for (OutEdgeWriter output : outputs) {
            if (output.edge().dataSetId().equals(dataSetId)) {
                return output;
            }
        }
        throw new IllegalArgumentException(
                streamTask.getName() + " has no output to data set " + dataSetId);
    }

    /**
     * Changes the routing of an output: records of these key groups go to this subtask from now on.
     */
    public void route(String dataSetId, int[] keyGroups, int newOwner) {
        Routing routing = output(dataSetId).routing();
        if (routing == null) {
            throw new IllegalArgumentException(
                    "the output to data set " + dataSetId + " is not routed by key groups");
        }
        routing.route(keyGroups, newOwner);
    }

    /**
     * Number of active subtasks of this task's own vertex, as user code sees it; 0 if the vertex is
     * not elastic.
     */
    public int activeSubtasks() {
        return activeSubtasks;
    }

    /**
     * All subtasks have to be told between the same two checkpoints: sinks send the number along
     * with what they commit.
     */
    public void activeSubtasks(int count) {
        activeSubtasks = count;
    }

    /**
     * Network inputs in Flink's order; empty until the task is initialized, and if no gate is
     * attached.
     */
    public List<ElasticInput> inputs() {
        return inputs;
    }

    public List<ElasticInputGate> gates() {
        return gates;
    }

    /** The gate with this index among the task's input gates. */
    public ElasticInputGate gate(int index) {
        return gates.stream().filter(gate -> gate.index() == index).findFirst().orElseThrow();
    }

    /**
     * Sends an event to the coordinator in the JobMaster, in order with others of this task. Any
     * thread. A failure of the connection fails the task.
     */
    public void sendToCoordinator(OperatorEvent event) throws IOException {
        environment
                .getOperatorCoordinatorEventGateway()
                .sendOperatorEventToCoordinator(DrrsIds.OPERATOR_ID, new SerializedValue<>(event));
    }

    /**
     * Runs it in the mailbox. Any thread.
     *
     * @throws RejectedExecutionException if the task has ended
     */
    public void execute(ThrowingRunnable<? extends Exception> mail, String description) {
        environment
                .getMainMailboxExecutor()
                .execute(() -> mails.measure(description, mail), description);
    }

    /**
     * Runs it in the mailbox, unless the task has ended: then there is nothing to do any more. Any
     * thread.
     */
    public void executeIfRunning(ThrowingRunnable<? extends Exception> mail, String description) {
        try {
            execute(mail, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: has ended, not done: {}", streamTask.getName(), description);
        }
    }

    /**
     * As {@link #executeIfRunning}, for a mail that does nothing itself, or counts what it does by
     * {@link #mails}.
     */
    public void executeUncounted(ThrowingRunnable<Exception> mail, String description) {
        try {
            environment.getMainMailboxExecutor().execute(mail, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: has ended, not done: {}", streamTask.getName(), description);
        }
    }

    /** Fails the task for a rescale that cannot go on. Any thread. */
    public void fail(String what, Throwable cause) {
        executeIfRunning(
                () -> {
                    throw new RescaleFailedException(what, cause);
                },
                "a rescale failed");
    }

    /**
     * Ends the task without end of data: operators are closed but not finished. No element is
     * processed after the present mail. Mailbox thread.
     */
    public void end() {
        TaskAccess.mailbox(streamTask).suspend();
    }

    /**
     * Ends the subtask of an elastic vertex for good, as {@link #end}; its consumers hear of it
     * behind everything it has sent. Mailbox thread.
     */
    public void retire() throws IOException {
        for (OutEdgeWriter output : outputs) {
            output.retire();
        }
        end();
    }

    /** Waits for the next mail and runs it. Mailbox thread. */
    public void yieldToMail() throws InterruptedException {
        environment.getMainMailboxExecutor().yield();
    }

    void add(ElasticInput input) {
        inputs.add(input);
    }

    /** As {@link BarrierChannels#cancel}. */
    public void cancelAlignment(long checkpoint) throws IOException {
        if (barrierChannels != null) {
            barrierChannels.cancel(checkpoint);
        }
    }

    void barrierChannels(BarrierChannels channels) {
        barrierChannels = channels;
    }

    int absentChannels() {
        return gates.stream().mapToInt(ElasticInputGate::absent).sum();
    }

    RecordWriterOutput<?> streamOutput(int index) {
        return TaskAccess.chain(streamTask).getStreamOutputs()[index];
    }

    /**
     * The channel of a subtask that was activated takes part from here on; none of its elements has
     * been read.
     */
    void joined(ElasticInputGate gate, int channel) throws Exception {
        if (barrierChannels != null) {
            barrierChannels.add(1);
        }
        for (ElasticInput input : inputs) {
            if (input.has(gate)) {
                input.opened(input.flattened(gate.index(), channel));
                extension.onChannelOpened(gate.index(), channel, input.eventTime().clock());
            }
        }
    }

    /**
     * The channel of a retired subtask takes no part any more; the barrier handler has counted its
     * end itself.
     */
    void left(ElasticInputGate gate, int channel) throws Exception {
        for (ElasticInput input : inputs) {
            if (input.has(gate)) {
                input.closed(input.flattened(gate.index(), channel));
                extension.onChannelClosed(gate.index(), channel);
            }
        }
    }

    private void attachOutputs() {
        RecordWriterDelegate<?> writers = TaskAccess.recordWriters(streamTask);
        ResultPartitionWriter[] all = environment.getAllWriters();
        for (OutEdge edge : info.outputs()) {
            int index = indexOf(all, edge);
            outputs.add(
                    new OutEdgeWriter(
                            this,
                            edge,
                            index,
                            (PipelinedResultPartition) all[index],
                            writers.getRecordWriter(index)));
        }
    }

    private static int indexOf(ResultPartitionWriter[] all, OutEdge edge) {
        for (int i = 0; i < all.length; i++) {
            String dataSet =
                    all[i].getPartitionId()
                            .getPartitionId()
                            .getIntermediateDataSetID()
                            .toHexString();
            if (dataSet.equals(edge.dataSetId())) {
                return i;
            }
        }
        throw new IllegalStateException("no result partition of data set " + edge.dataSetId());
    }

    private void attachGates() {
        for (IndexedInputGate gate : environment.getAllInputGates()) {
            SingleInputGate single = Gates.unwrap(gate);
            if (single == null) {
                throw new IllegalStateException("not a gate of Flink's network stack: " + gate);
            }
            gates.add(ElasticInputGate.attach(this, single, ended(single.getGateIndex())));
        }
    }

    private boolean[] ended(int gate) {
        return info.inputs().stream()
                .filter(input -> input.gateIndex() == gate)
                .findFirst()
                .map(InEdge::endedProducers)
                .orElse(new boolean[0]);
    }

    private TaskHello hello() {
        PeerNetwork network = ShuffleEnvironments.of(environment);
        return new TaskHello(
                environment.getExecutionId().toString(),
                AgentState.version(),
                network.taskManager().getResourceIdString(),
                network.host(),
                network.dataPort());
    }
}
