package dev.drrs.runtime.functions;

import dev.drrs.runtime.DrrsOptions;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * What the user's functions in the task of a keyed operator are to know of key groups that leave
 * and come: those that listen are told, others are opened anew if the job wants that. Mailbox
 * thread.
 */
public final class MovingFunctions {

    private final FunctionReopening reopening;
    private final int maxParallelism;

    /** From the moment on when the operators are open. */
    private StreamOperator<?> head;

    private FunctionListeners listeners;
    private boolean reopens;

    /**
     * While the task is being set up.
     *
     * @param taskConfiguration Flink's, with the operator at the head of the chain
     * @param options the plug-in's, in force for this task
     */
    public MovingFunctions(
            Configuration taskConfiguration,
            ClassLoader loader,
            Configuration options,
            int maxParallelism) {
        this.maxParallelism = maxParallelism;
        this.reopening =
                Reopen.ON_RETURN.equals(options.get(DrrsOptions.REOPEN))
                        ? new FunctionReopening(taskConfiguration, loader)
                        : null;
    }

    /**
     * When the operators are open.
     *
     * @param operator the keyed one at the head of the chain
     * @param chain all of them, that one too
     * @return why key groups cannot move, as a sentence, or empty
     */
    public Optional<String> opened(
            StreamOperator<?> operator, Iterable<? extends StreamOperator<?>> chain) {
        head = operator;
        listeners = new FunctionListeners(chain, maxParallelism);
        reopens = reopening != null && Reopen.wants(operator);
        if (!reopens) {
            return Optional.empty();
        }
        Set<String> accumulators =
                FunctionReopening.accumulators((AbstractUdfStreamOperator<?, ?>) operator);
        if (accumulators.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                DrrsOptions.REOPEN.key()
                        + " would open its function a second time, and Flink refuses to have the accumulators "
                        + String.join(", ", accumulators)
                        + " added again; use metrics instead of them, or implement "
                        + FunctionListeners.INTERFACE
                        + ".");
    }

    /**
     * At the old owner, while their state is still there.
     *
     * @return whether a function has heard of it, and so may have given away what it held
     */
    public boolean leaving(int[] keyGroups) throws Exception {
        boolean heard = listeners.leaving(keyGroups);
        if (reopens) {
            reopening.left(keyGroups);
        }
        return heard;
    }

    /** At the new owner, when their state is there and before any record or timer of them. */
    public void arrived(int keyGroup) throws Exception {
        int[] one = {keyGroup};
        if (reopens) {
            reopening.arrived(one, head);
        }
        listeners.arrived(one);
    }
}
