package dev.drrs.runtime.role;

import dev.drrs.runtime.message.AwaitBroadcastEnd;
import dev.drrs.runtime.message.BroadcastStateCopied;
import dev.drrs.runtime.message.BroadcastStopped;
import dev.drrs.runtime.message.CopyBroadcastState;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.ResumeBroadcast;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * What a subtask of an elastic vertex does about its broadcast inputs in a rescale: says when they
 * stand still, and writes the broadcast state for new subtasks. Mailbox thread only.
 */
final class OwnerBroadcast {

    private final ElasticTask task;
    private final OwnerInputs inputs;
    private final HeadOperator head;
    private final BroadcastInputs broadcast;

    OwnerBroadcast(ElasticTask task, OwnerInputs inputs, HeadOperator head) {
        this.task = task;
        this.inputs = inputs;
        this.head = head;
        this.broadcast = new BroadcastInputs(inputs, input -> !head.isKeyed(input));
    }

    void register(
            Handlers<ElasticTask, Exception> ofCoordinator, Handlers<Arrival, Exception> inBand) {
        ofCoordinator
                .on(
                        AwaitBroadcastEnd.class,
                        (from, await) ->
                                sayIf(broadcast.awaitEnd(await.rescale()), await.rescale()))
                .on(
                        CopyBroadcastState.class,
                        (from, copy) -> task.sendToCoordinator(copied(copy.rescale())))
                .on(ResumeBroadcast.class, (from, resume) -> broadcast.resume(resume.rescale()));
        inBand.on(BroadcastBarrier.class, this::onBarrier);
    }

    /** As {@link BroadcastInputs#has}. */
    boolean has(int channel) {
        return broadcast.has(channel);
    }

    /** As {@link BroadcastInputs#channels}. */
    BitSet channels() {
        return broadcast.channels();
    }

    /** The producer of a channel of any input has ended. */
    void onEnd(int channel) throws IOException {
        sayIf(broadcast.end(channel), broadcast.rescale());
    }

    private void onBarrier(Arrival at, BroadcastBarrier barrier) throws IOException {
        sayIf(broadcast.stop(inputs.channel(at), barrier.rescale()), barrier.rescale());
    }

    private void sayIf(boolean stopped, int rescale) throws IOException {
        if (stopped) {
            task.sendToCoordinator(new BroadcastStopped(rescale));
        }
    }

    private BroadcastStateCopied copied(int rescale) {
        try {
            return new BroadcastStateCopied(
                    rescale,
                    BroadcastStateCopy.of(
                            List.of(head.operator()),
                            task.environment().getCheckpointStorageAccess()),
                    null);
        } catch (Exception e) { // nothing has changed here: the rescale is given up
            return new BroadcastStateCopied(
                    rescale, Map.of(), "the broadcast state could not be copied: " + e);
        }
    }
}
