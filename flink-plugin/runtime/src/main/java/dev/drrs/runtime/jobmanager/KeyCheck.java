package dev.drrs.runtime.jobmanager;

import dev.drrs.runtime.message.CheckKeys;
import dev.drrs.runtime.message.KeysChecked;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Asks all active subtasks of a vertex whether their keys are fit to be moved, and if wanted how
 * large their state is, before anything is touched. Main thread.
 */
final class KeyCheck {

    private final TaskMessenger messenger;
    private final int rescale;
    private final boolean sizes;
    private final Set<ExecutionAttemptID> open = new HashSet<>();
    private String fault;
    private long[] heapBytes = new long[0];
    private Consumer<String> done;

    /**
     * @param sizes whether subtasks are to say how large their state is
     */
    KeyCheck(TaskMessenger messenger, int rescale, boolean sizes) {
        this.messenger = messenger;
        this.rescale = rescale;
        this.sizes = sizes;
    }

    /**
     * @param whenDone gets the first fault once all have answered, or null
     */
    void begin(List<Execution> active, Consumer<String> whenDone) {
        done = whenDone;
        active.forEach(subtask -> open.add(subtask.getAttemptId()));
        messenger.send(active, new CheckKeys(rescale, sizes));
    }

    void onChecked(Execution subtask, KeysChecked answer) {
        if (answer.rescale() == rescale && open.remove(subtask.getAttemptId())) {
            fault = fault == null ? answer.fault() : fault;
            heapBytes = sum(heapBytes, answer.heapBytes());
            if (open.isEmpty()) {
                done.accept(fault);
            }
        }
    }

    /**
     * By key group, about how much heap its state took; once all have answered, and if it was asked
     * for.
     */
    long[] heapBytes() {
        return heapBytes;
    }

    private static long[] sum(long[] some, long[] more) {
        long[] sum = Arrays.copyOf(some, Math.max(some.length, more.length));
        for (int i = 0; i < more.length; i++) {
            sum[i] += more[i];
        }
        return sum;
    }
}
