package dev.drrs.runtime.rescale;

import dev.drrs.runtime.catalog.ChainCheck;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.Unsupported;
import dev.drrs.runtime.state.RegisteredOperatorStates;
import dev.drrs.runtime.task.ElasticGate;
import dev.drrs.runtime.task.ElasticInput;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.OutEdgeWriter;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;

/**
 * A subtask of a vertex that scales together with the keyed one before it: owns nothing, passes on
 * what its producers in the group say, and ends with them. Mailbox thread only.
 */
final class FollowerRole {

    private final ElasticTask task;

    /** By subscale: over how many channels its align event has come. */
    private final Map<Integer, Integer> aligned = new HashMap<>();

    private int retired;

    FollowerRole(ElasticTask task) {
        this.task = task;
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
    void onAlign(ElasticInput input, int channel, AlignBarrier align) throws Exception {
        input.eventTime().align(channel);
        if (aligned.merge(align.subscale(), 1, Integer::sum) < channels()) {
            return;
        }
        aligned.remove(align.subscale());
        for (OutEdgeWriter output : task.outputs()) {
            output.sendToAll(new AlignBarrier(align.subscale()));
        }
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
