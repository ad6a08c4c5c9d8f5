package dev.drrs.runtime.run;

import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.message.CheckKeys;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.KeysChecked;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Asks all active subtasks of a vertex whether their keys are fit to be moved, and if wanted how
 * large their state is, before anything is touched. Main thread.
 */
final class KeyCheck implements Preparation {

    private final RunScope scope;
    private final Set<ExecutionAttemptID> open = new HashSet<>();
    private String fault;
    private long[] heapBytes = new long[0];

    KeyCheck(RunScope scope) {
        this.scope = scope;
    }

    @Override
    public void begin() {
        List<Execution> active = scope.neighbours().active();
        active.forEach(subtask -> open.add(subtask.getAttemptId()));
        scope.messenger()
                .send(active, new CheckKeys(scope.number(), scope.option(DrrsOptions.CHECK_HEAP)));
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(KeysChecked.class, this::onChecked);
    }

    private void onChecked(Execution subtask, KeysChecked answer) {
        if (!open.remove(subtask.getAttemptId())) {
            return;
        }
        fault = fault == null ? answer.fault() : fault;
        heapBytes = sum(heapBytes, answer.heapBytes());
        if (!open.isEmpty()) {
            return;
        }
        if (fault == null) {
            scope.steps().done(this);
        } else {
            scope.steps()
                    .giveUp(
                            this,
                            "Operator " + scope.vertex().name() + " cannot be rescaled: " + fault);
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
