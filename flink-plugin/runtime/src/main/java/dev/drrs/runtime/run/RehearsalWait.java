package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.message.AwaitRehearsal;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.RehearsalOver;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Lets the TaskManagers of new subtasks be through with their rehearsal before key groups move: as
 * long as none is on its way no record waits for what loads and compiles there. Only for a while;
 * and not at all while broadcast inputs stand still, as their records do wait. Main thread.
 */
final class RehearsalWait implements Step {

    private final RunScope scope;
    private final Set<ExecutionAttemptID> open = new HashSet<>();

    RehearsalWait(RunScope scope) {
        this.scope = scope;
    }

    @Override
    public Phase phase() {
        return Phase.PROVISIONING;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(RehearsalOver.class, (subtask, over) -> onOver(subtask));
    }

    @Override
    public void begin() {
        Duration patience = scope.option(DrrsOptions.REHEARSAL_PATIENCE);
        boolean waits =
                scope.option(DrrsOptions.REHEARSAL)
                        && patience.toMillis() > 0
                        && scope.neighbours().inputs().stream()
                                .noneMatch(Neighbours.Input::broadcast);
        Map<String, Execution> asked = new HashMap<>();
        if (waits) {
            for (int subtask : scope.fresh()) {
                Execution one = scope.neighbours().execution(subtask);
                asked.putIfAbsent(
                        one.getAssignedResourceLocation().getResourceID().toString(), one);
            }
        }
        if (asked.isEmpty()) {
            scope.steps().done(this);
            return;
        }
        asked.values().forEach(one -> open.add(one.getAttemptId()));
        // Its answer may be late on a machine that has nothing left, which is what this is about.
        scope.after(patience, () -> scope.steps().done(this));
        asked.values()
                .forEach(
                        one ->
                                scope.messenger()
                                        .send(
                                                one,
                                                new AwaitRehearsal(
                                                        scope.number(), patience.toMillis())));
    }

    private void onOver(Execution subtask) {
        if (open.remove(subtask.getAttemptId()) && open.isEmpty()) {
            scope.steps().done(this);
        }
    }
}
