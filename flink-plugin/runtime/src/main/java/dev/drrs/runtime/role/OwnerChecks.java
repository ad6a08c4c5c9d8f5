package dev.drrs.runtime.role;

import dev.drrs.runtime.Causes;
import dev.drrs.runtime.catalog.ChainCheck;
import dev.drrs.runtime.functions.MovingFunctions;
import dev.drrs.runtime.message.AskHeap;
import dev.drrs.runtime.message.AwaitRehearsal;
import dev.drrs.runtime.message.CheckKeys;
import dev.drrs.runtime.message.CollectionPauses;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.HeapReported;
import dev.drrs.runtime.message.KeysChecked;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.RehearsalOver;
import dev.drrs.runtime.message.Unsupported;
import dev.drrs.runtime.peer.ShuffleEnvironments;
import dev.drrs.runtime.rehearsal.Rehearsals;
import dev.drrs.runtime.state.RegisteredOperatorStates;
import dev.drrs.runtime.state.StateKeys;
import dev.drrs.runtime.state.StateSizes;
import dev.drrs.runtime.task.ElasticTask;
import dev.drrs.runtime.task.GarbageCollections;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;

/**
 * What the coordinator asks a subtask of an elastic vertex before anything is touched: whether its
 * state can be moved, how large it is, and how much more the heap takes. Mailbox thread only.
 */
final class OwnerChecks {

    private static final int KEY_SAMPLES = 32;

    private final ElasticTask task;
    private final HeadOperator head;
    private final OwnerState state;
    private final MovingFunctions functions;
    private boolean supported;

    /** When the rescale under way came here; of a new subtask when it began. */
    private GarbageCollections.Mark began = GarbageCollections.ofThisJvm().mark();

    OwnerChecks(ElasticTask task, HeadOperator head, OwnerState state, MovingFunctions functions) {
        this.task = task;
        this.head = head;
        this.state = state;
        this.functions = functions;
    }

    void register(Handlers<ElasticTask, Exception> ofCoordinator) {
        ofCoordinator
                .on(CheckKeys.class, (from, check) -> begin(check))
                .on(AwaitRehearsal.class, (from, await) -> awaitRehearsal(await))
                .on(AskHeap.class, (from, ask) -> answer(ask));
    }

    /** Says what cannot be moved, if there is something, and what operator states there are. */
    void onRunning() throws IOException {
        Optional<String> fault =
                Optional.ofNullable(head.fault())
                        .or(() -> state.support().unsupported(head.chain()))
                        .or(() -> operators().ofRunning(head.operator(), head.chain(), true))
                        .or(() -> functions.opened(head.operator(), head.chain()));
        supported = fault.isEmpty();
        if (!supported) {
            task.sendToCoordinator(new Unsupported(fault.get()));
        }
        List<OperatorStates.One> states = RegisteredOperatorStates.of(head.chain());
        if (!states.isEmpty()) {
            task.sendToCoordinator(new OperatorStates(states));
        }
    }

    /** Of this JVM, in the rescale under way. */
    CollectionPauses pauses() {
        return GarbageCollections.ofThisJvm()
                .since(
                        began,
                        ShuffleEnvironments.of(task.environment())
                                .taskManager()
                                .getResourceIdString());
    }

    private ChainCheck operators() {
        return new ChainCheck(
                Configuration.fromMap(task.info().settings()),
                task.environment().getUserCodeClassLoader().asClassLoader());
    }

    /** The first that a rescale asks: what was counted before is not its own. */
    private void begin(CheckKeys check) throws IOException {
        task.mails().take();
        state.forgetSizes();
        began = GarbageCollections.ofThisJvm().mark();
        task.sendToCoordinator(checked(check));
    }

    private void awaitRehearsal(AwaitRehearsal await) {
        RehearsalOver over = new RehearsalOver(await.rescale());
        Rehearsals.OF_TASKS
                .hurry(await.millis())
                .thenRun(() -> task.execute(() -> task.sendToCoordinator(over), "rehearsal over"));
    }

    private void answer(AskHeap ask) throws IOException {
        task.sendToCoordinator(new HeapReported(ask.rescale(), free(ask.wanted())));
    }

    /** Bytes. That state cannot be moved at all has been said, and is not for want of room. */
    private long free(long wanted) {
        if (!supported) {
            return wanted;
        }
        state.prepare();
        return state.movable().room().free(wanted);
    }

    private KeysChecked checked(CheckKeys check) throws IOException {
        String fault = keyFault();
        long[] heapBytes = new long[0];
        if (check.sizes() && fault == null) {
            try {
                StateSizes sizes = sampled();
                heapBytes = state.movable().room().taken(sizes);
            } catch (UnwritableException e) {
                fault = said(e.getMessage());
            }
        }
        return new KeysChecked(check.rescale(), fault, heapBytes);
    }

    /** Why the keys cannot be moved, or null. What is found is said to the coordinator at once. */
    private String keyFault() throws IOException {
        try {
            state.support().check(head.operator());
            state.prepare();
            int maxParallelism = task.info().self().maxParallelism();
            String fault = StateKeys.fault(state.movable(), maxParallelism, KEY_SAMPLES);
            return fault == null ? null : said(fault);
        } catch (RuntimeException | LinkageError | StackOverflowError e) { // of the user's code
            return said("its keys cannot be copied: " + Causes.innermost(e) + ".");
        }
    }

    /**
     * Null if the state cannot be reached, or not be written; why the latter is said to the
     * coordinator.
     */
    StateSizes sizes() throws IOException {
        if (!supported) {
            return null;
        }
        keyFault();
        try {
            return sampled();
        } catch (UnwritableException e) {
            said(e.getMessage());
            return null;
        }
    }

    /** Nothing has been touched yet: that the user's code fails must not fail the task. */
    private StateSizes sampled() throws UnwritableException {
        state.prepare();
        try {
            return state.sizes();
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            throw new UnwritableException(e);
        }
    }

    private static final class UnwritableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnwritableException(Throwable cause) {
            super("its state cannot be written: " + Causes.innermost(cause) + ".", cause);
        }
    }

    private String said(String fault) throws IOException {
        task.sendToCoordinator(new Unsupported(fault));
        return fault;
    }
}
