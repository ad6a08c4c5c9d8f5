package dev.drrs.runtime.task;

import dev.drrs.flink.HookHolder;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;

/**
 * Which channels have still to tell that their producer has recovered. At its start every task
 * blocks each of its outputs with such an event, and goes on when the consumer answers.
 *
 * <p>Unlike Flink's, it waits only for producers that were active when this task started, and a
 * producer that starts later is answered at once. A task that was itself activated at run time
 * waits for nobody: the others sent their event long ago. Hangs at Flink's tracker; mailbox thread
 * only.
 */
public final class RecoveryTracker {

    private final InputGate gate;
    private final Set<InputChannelInfo> counted = new HashSet<>();
    private final Set<InputChannelInfo> awaited = new HashSet<>();

    private RecoveryTracker(
            InputGate gate, List<ElasticInputGate> parts, boolean activatedAtRunTime) {
        this.gate = gate;
        if (activatedAtRunTime) {
            return;
        }
        for (ElasticInputGate part : parts) {
            for (int i = 0; i < part.channels(); i++) {
                if (part.joined(i)) {
                    counted.add(new InputChannelInfo(part.index(), i));
                }
            }
        }
        awaited.addAll(counted);
    }

    /** Called from the constructor of Flink's tracker. */
    public static void created(Object tracker, InputGate gate) {
        List<ElasticInputGate> parts = Gates.elastic(gate);
        if (!parts.isEmpty()) {
            boolean late = parts.get(0).task().info().activatedAtRunTime();
            ((HookHolder) tracker).drrsHook(new RecoveryTracker(gate, parts, late));
        }
    }

    /**
     * Called from Flink's tracker when the event has come.
     *
     * @return false if Flink is to handle it
     */
    public static boolean endOfRecovery(Object hook, InputChannelInfo channel) throws IOException {
        if (hook == null) {
            return false;
        }
        ((RecoveryTracker) hook).endOfRecovery(channel);
        return true;
    }

    /** Called from Flink's tracker: 0 if it is to decide itself, 1 for true, 2 for false. */
    public static int allRecovered(Object hook) {
        if (hook == null) {
            return 0;
        }
        return ((RecoveryTracker) hook).awaited.isEmpty() ? 1 : 2;
    }

    private void endOfRecovery(InputChannelInfo channel) throws IOException {
        if (!awaited.remove(channel)) {
            gate.resumeConsumption(channel);
            return;
        }
        if (awaited.isEmpty()) {
            for (InputChannelInfo recovered : counted) {
                gate.resumeConsumption(recovered);
            }
            counted.clear();
        }
    }
}
