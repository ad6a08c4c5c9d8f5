package dev.drrs.runtime.rescale;

import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.WrittenOut;
import dev.drrs.runtime.state.RegisteredOperatorStates;
import dev.drrs.runtime.task.ElasticGate;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

    private int retired;

    FollowerRole(ElasticTask task) {
        this.task = task;
    }

    void onRunning() throws IOException {
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
    void onAlign(ElasticInput input, int channel, AlignBarrier align) throws Exception {
        input.eventTime().align(channel);
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
    void onResultsEnd(ResultsEnd end) throws Exception {
        if (ended.merge(end.subscale(), 1, Integer::sum) < channels()) {
            return;
        }
        ended.remove(end.subscale());
        ChainFlush.of(task.streamTask());
        task.sendToConsumers(end);
    }

    /** From here on results of the new owner come, through the first of several producers. */
    void onResultsBegin(ResultsBegin begin) throws IOException {
        int times = begun.merge(begin.subscale(), 1, Integer::sum);
        if (times == 1) {
            task.sendToConsumers(begin);
        }
        if (times == channels()) {
            begun.remove(begin.subscale());
        }
    }

    /** Producers here that are to retire hold nothing back. */
    void onWriteOut(WriteOutSignal signal) throws Exception {
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
        return task.gates().stream().mapToInt(ElasticGate::channels).sum();
    }
}
