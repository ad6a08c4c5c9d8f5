package dev.drrs.runtime.role;

import dev.drrs.protocol.ResultOrder;
import dev.drrs.runtime.catalog.ChainCheck;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.ResultsMayBegin;
import dev.drrs.runtime.message.ResultsPassed;
import dev.drrs.runtime.message.Unsupported;
import dev.drrs.runtime.message.WrittenOut;
import dev.drrs.runtime.state.RegisteredOperatorStates;
import dev.drrs.runtime.task.ElasticInputGate;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.graph.StreamConfig;

/**
 * A subtask of a vertex that scales together with the keyed one before it: owns nothing, passes on
 * what its producers in the group say, and ends with them. Mailbox thread only.
 */
final class FollowerRole {

    private final ElasticTask task;

    /** By subscale: over how many channels its align event has come. */
    private final Map<Integer, Integer> aligned = new HashMap<>();

    /** By subscale: over how many channels the end of its old owner's results has come. */
    private final Map<Integer, Integer> ended = new HashMap<>();

    /** By subscale: over how many channels the beginning of its new owner's results has come. */
    private final Map<Integer, Integer> begun = new HashMap<>();

    /** By rescale: over how many channels the news has come that nothing is held back. */
    private final Map<Integer, Integer> written = new HashMap<>();

    /** Whether an operator of this task sends its results nowhere, but out of the job. */
    private final boolean writes;

    /** By gate: results wait for those of another subtask of this vertex. */
    private final Map<Integer, ResultOrder> orders = new HashMap<>();

    private int retired;

    FollowerRole(ElasticTask task) {
        this.task = task;
        this.writes = writes(task.environment());
        for (ElasticInputGate gate : task.gates()) {
            // This side is told when they have passed.
            orders.put(gate.index(), new ResultOrder(new GateHold(gate, subscale -> {})));
        }
    }

    void register(
            Handlers<ElasticTask, Exception> ofCoordinator, Handlers<Arrival, Exception> inBand) {
        ofCoordinator.on(ResultsMayBegin.class, (from, may) -> onResultsMayBegin(may));
        inBand.on(AlignBarrier.class, this::onAlign)
                .on(ResultsEnd.class, (at, end) -> onResultsEnd(end))
                .on(ResultsBegin.class, (at, begin) -> onResultsBegin(at.info(), begin))
                .on(WriteOutSignal.class, (at, signal) -> onWriteOut(signal));
    }

    private static boolean writes(Environment environment) {
        ClassLoader loader = environment.getUserCodeClassLoader().asClassLoader();
        StreamConfig head = new StreamConfig(environment.getTaskConfiguration());
        return Stream.concat(
                        Stream.of(head),
                        head.getTransitiveChainedTaskConfigs(loader).values().stream())
                .anyMatch(
                        one ->
                                one.getChainedOutputs(loader).isEmpty()
                                        && one.getOperatorNonChainedOutputs(loader).isEmpty());
    }

    void onRunning() throws IOException {
        Optional<String> fault =
                new ChainCheck(
                                Configuration.fromMap(task.info().settings()),
                                task.environment().getUserCodeClassLoader().asClassLoader())
                        .ofRunning(null, HeadOperator.chain(task.streamTask()), false);
        if (fault.isPresent()) {
            task.sendToCoordinator(new Unsupported(fault.get()));
        }
        List<OperatorStates.One> states =
                RegisteredOperatorStates.of(HeadOperator.chain(task.streamTask()));
        if (!states.isEmpty()) {
            task.sendToCoordinator(new OperatorStates(states));
        }
    }

    /**
     * The consumers behind this subtask are asked as if the new owner had asked them directly, once
     * all ways from there to here are through. This subtask has nothing to say of its own: it is
     * where its producers are.
     */
    private void onAlign(Arrival at, AlignBarrier align) throws Exception {
        at.input().eventTime().align(at.channel());
        if (aligned.merge(align.subscale(), 1, Integer::sum) < channels()) {
            return;
        }
        aligned.remove(align.subscale());
        task.sendToConsumers(new AlignBarrier(align.subscale()));
    }

    /**
     * Producers here have passed on all results of the old owner. Once they all have, what the
     * operators of this task hold goes out, and the news behind it.
     */
    private void onResultsEnd(ResultsEnd end) throws Exception {
        if (ended.merge(end.subscale(), 1, Integer::sum) < channels()) {
            return;
        }
        ended.remove(end.subscale());
        ChainFlush.of(task.streamTask());
        task.sendToConsumers(end);
        task.sendToCoordinator(new ResultsPassed(new int[] {end.subscale()}));
    }

    /**
     * From here on results of the new owner come, through the first of several producers. Where
     * they are written by an operator of this task they wait until those of the old owner are.
     */
    private void onResultsBegin(InputChannelInfo channel, ResultsBegin begin) throws IOException {
        int times = begun.merge(begin.subscale(), 1, Integer::sum);
        if (times == 1) {
            task.sendToConsumers(begin);
        }
        if (times == channels()) {
            begun.remove(begin.subscale());
        }
        if (writes) {
            orders.get(channel.getGateIdx())
                    .onBegin(channel.getInputChannelIdx(), begin.subscale());
        }
    }

    private void onResultsMayBegin(ResultsMayBegin may) {
        if (writes) {
            orders.values().forEach(order -> order.onEnd(may.subscale()));
        }
    }

    /** Producers here that are to retire hold nothing back. */
    private void onWriteOut(WriteOutSignal signal) throws Exception {
        if (written.merge(signal.rescale(), 1, Integer::sum) < channels()) {
            return;
        }
        written.remove(signal.rescale());
        ChainFlush.of(task.streamTask());
        task.sendToConsumers(signal);
        task.sendToCoordinator(new WrittenOut(signal.rescale()));
    }

    /** A producer sends nothing more. After the last one this subtask has nothing to do. */
    void onProducerRetired() throws IOException {
        if (++retired == channels()) {
            task.retire();
        }
    }

    private int channels() {
        return task.gates().stream().mapToInt(ElasticInputGate::channels).sum();
    }
}
