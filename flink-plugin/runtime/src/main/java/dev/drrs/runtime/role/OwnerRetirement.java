package dev.drrs.runtime.role;

import dev.drrs.protocol.SubtaskGate;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.WriteOut;
import dev.drrs.runtime.message.WrittenOut;
import dev.drrs.runtime.task.ElasticTask;
import java.io.IOException;
import java.util.BitSet;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * How a subtask that owns nothing any more goes: it writes out what its operators hold, and ends
 * behind the last of its predecessors. Mailbox thread only.
 */
final class OwnerRetirement {

    private final ElasticTask task;
    private final OwnerInputs inputs;
    private final HeadOperator head;
    private final SubtaskGate<StreamRecord<?>> gate;

    /** Channels on which nothing comes any more. */
    private final BitSet ended = new BitSet();

    /** Predecessors close the channels to this subtask. */
    private boolean retires;

    OwnerRetirement(
            ElasticTask task,
            OwnerInputs inputs,
            HeadOperator head,
            SubtaskGate<StreamRecord<?>> gate) {
        this.task = task;
        this.inputs = inputs;
        this.head = head;
        this.gate = gate;
    }

    void register(
            Handlers<ElasticTask, Exception> ofCoordinator, Handlers<Arrival, Exception> inBand) {
        ofCoordinator.on(WriteOut.class, (from, write) -> writeOut(write.rescale()));
        inBand.on(EndOfChannel.class, (at, end) -> onEndOfChannel(inputs.channel(at)));
    }

    private void writeOut(int rescale) throws Exception {
        ChainFlush.of(task.streamTask());
        task.sendToConsumers(new WriteOutSignal(rescale));
        task.sendToCoordinator(new WrittenOut(rescale));
    }

    /**
     * A predecessor sends nothing more to this subtask. After the last one it goes idle, so that it
     * holds nobody's event time, and ends; operators are closed, not finished.
     */
    private void onEndOfChannel(int channel) throws IOException {
        ended.set(channel);
        retires = true;
        retireIfLast();
    }

    /** A predecessor has come to the end of its data. */
    void onEndOfData(int channel) throws IOException {
        ended.set(channel);
        retireIfLast();
    }

    private void retireIfLast() throws IOException {
        if (!retires) {
            return;
        }
        for (int i = 0; i < inputs.channels(); i++) {
            if (inputs.joined(i) && !ended.get(i)) {
                return;
            }
        }
        if (gate.busy()) {
            int subtask = task.environment().getTaskInfo().getIndexOfThisSubtask();
            throw new IllegalStateException("subtask " + subtask + " ends with open subscales");
        }
        retires = false;
        head.emitStatus(true);
        task.retire();
    }
}
