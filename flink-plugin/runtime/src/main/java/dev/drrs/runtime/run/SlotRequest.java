package dev.drrs.runtime.run;

import dev.drrs.runtime.Causes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException;
import org.apache.flink.runtime.jobmaster.LogicalSlot;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.concurrent.FutureUtils;

/**
 * Asks for slots for the new subtasks and those that scale together with them. The executions are
 * still CREATED, so that one that does not come costs nothing. Main thread.
 */
final class SlotRequest implements Preparation {

    private static final long ASK_AGAIN_MS = 1_000;

    private final RunScope scope;
    private final Map<ExecutionAttemptID, CompletableFuture<LogicalSlot>> slots = new HashMap<>();

    SlotRequest(RunScope scope) {
        this.scope = scope;
    }

    @Override
    public void begin() {
        List<ExecutionAttemptID> attempts = new ArrayList<>();
        for (int subtask : scope.fresh()) {
            for (ExecutionVertex member : scope.neighbours().groupSubtasks(subtask)) {
                attempts.add(member.getCurrentExecutionAttempt().getAttemptId());
            }
        }
        if (attempts.isEmpty()) {
            scope.steps().done(this);
        } else {
            request(attempts);
        }
    }

    private void request(List<ExecutionAttemptID> attempts) {
        slots.putAll(DrrsSchedulerAccess.requestSlots(scope.job().scheduler(), attempts));
        FutureUtils.combineAll(slots.values())
                .whenCompleteAsync((all, failure) -> requested(failure), scope.job().mainThread());
    }

    private void requested(Throwable failure) {
        if (!scope.steps().isAt(this)) {
            return;
        }
        if (failure == null && lost().isEmpty()) {
            scope.steps().done(this);
        } else if (failure == null
                || ExceptionUtils.findThrowable(failure, NoResourceAvailableException.class)
                        .isPresent()) {
            // The resource manager says at once that it has no more. TaskManagers may still join,
            // which it tells nobody: the phase has its own limit.
            scope.after(ASK_AGAIN_MS, this::requestAgain);
        } else {
            scope.steps().giveUp(this, "a slot did not come: " + Causes.message(failure));
        }
    }

    private void requestAgain() {
        if (scope.steps().isAt(this)) {
            request(lost());
        }
    }

    /** Where the slot is that was got for a subtask; null for one that is there. */
    ResourceID place(ExecutionVertex subtask) {
        CompletableFuture<LogicalSlot> slot =
                slots.get(subtask.getCurrentExecutionAttempt().getAttemptId());
        return slot == null ? null : slot.join().getTaskManagerLocation().getResourceID();
    }

    /** Whose slot did not come, or went with its TaskManager while others were waited for. */
    private List<ExecutionAttemptID> lost() {
        return slots.entrySet().stream()
                .filter(
                        slot ->
                                slot.getValue().isCompletedExceptionally()
                                        || slot.getValue().isDone()
                                                && !slot.getValue().join().isAlive())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** From now on the slots are those of the executions. */
    void deployed() {
        slots.clear();
    }

    /** The rescale is over: those that are only held go back. */
    void end() {
        slots.forEach(
                (attempt, slot) -> {
                    if (slot.isDone() && !slot.isCompletedExceptionally()) {
                        slot.join().releaseSlot(null);
                    } else {
                        DrrsSchedulerAccess.cancelSlotRequest(scope.job().scheduler(), attempt);
                    }
                });
        slots.clear();
    }
}
