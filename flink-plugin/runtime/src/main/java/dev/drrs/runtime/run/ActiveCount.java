package dev.drrs.runtime.run;

import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.ActiveSubtasks;
import dev.drrs.runtime.message.ActiveSubtasksKnown;
import dev.drrs.runtime.message.Handlers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Tells all active subtasks of a group how many there are of each member, within a section: sinks
 * write the number into what they hand to committers at a checkpoint, and all have to write the
 * same. Main thread.
 */
final class ActiveCount {

    private final TaskMessenger messenger;
    private final Set<ExecutionAttemptID> unaware = new HashSet<>();
    private int count;
    private Runnable known;

    ActiveCount(TaskMessenger messenger) {
        this.messenger = messenger;
    }

    /**
     * @param active subtasks of all members
     * @param number of active subtasks of one member
     * @param whenKnown runs once all of them know
     */
    void announce(List<Execution> active, int number, Runnable whenKnown) {
        count = number;
        known = whenKnown;
        active.forEach(subtask -> unaware.add(subtask.getAttemptId()));
        messenger.send(active, new ActiveSubtasks(count));
    }

    void hear(Handlers<Execution, RuntimeException> events) {
        events.on(ActiveSubtasksKnown.class, this::onKnown);
    }

    private void onKnown(Execution subtask, ActiveSubtasksKnown answer) {
        if (answer.count() == count
                && unaware.remove(subtask.getAttemptId())
                && unaware.isEmpty()) {
            known.run();
        }
    }
}
