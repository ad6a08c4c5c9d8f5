package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.message.AskHeap;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.HeapReported;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Asks, before key groups move, whether each TaskManager has heap for those that come to it from
 * others. What moves within a TaskManager, or away from it, counts for nothing: it is taken for
 * free only once it has moved. Two rescales that begin at the same moment do not know of each
 * other. Main thread.
 */
final class HeapCheck implements Step {

    private static final long MIB = 1 << 20;

    /** What a TaskManager is to get, and the subtask that is asked for it. */
    private record Demand(String taskManager, long bytes) {}

    private final RunScope scope;
    private final KeyCheck keyCheck;
    private final Map<ExecutionAttemptID, Demand> open = new HashMap<>();
    private String fault;

    HeapCheck(RunScope scope, KeyCheck keyCheck) {
        this.scope = scope;
        this.keyCheck = keyCheck;
    }

    @Override
    public Phase phase() {
        return Phase.PROVISIONING;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(HeapReported.class, this::onReported);
    }

    @Override
    public void begin() {
        if (scope.option(DrrsOptions.CHECK_HEAP)) {
            ask();
        } else {
            scope.steps().done(this);
        }
    }

    private void ask() {
        Neighbours neighbours = scope.neighbours();
        Map<String, Long> bytes = new TreeMap<>();
        Map<String, Execution> asked = new HashMap<>();
        for (Subscale subscale : scope.subscales()) {
            Execution owner = neighbours.execution(subscale.newOwner());
            String taskManager = taskManager(owner);
            if (!taskManager.equals(taskManager(neighbours.execution(subscale.oldOwner())))) {
                bytes.merge(
                        taskManager, sum(subscale.keyGroups(), keyCheck.heapBytes()), Long::sum);
                asked.putIfAbsent(taskManager, owner);
            }
        }
        bytes.forEach(
                (taskManager, needed) ->
                        open.put(
                                asked.get(taskManager).getAttemptId(),
                                new Demand(taskManager, needed)));
        bytes.forEach(
                (taskManager, needed) ->
                        scope.messenger()
                                .send(asked.get(taskManager), new AskHeap(scope.number(), needed)));
        goOnIfAnswered();
    }

    private void onReported(Execution subtask, HeapReported report) {
        Demand demand = open.remove(subtask.getAttemptId());
        if (demand == null) {
            return;
        }
        if (fault == null && demand.bytes() > report.free()) {
            fault = describe(demand.taskManager(), demand.bytes(), report.free());
        }
        goOnIfAnswered();
    }

    private void goOnIfAnswered() {
        if (!open.isEmpty()) {
            return;
        }
        if (fault != null) {
            scope.steps().giveUp(this, fault);
        }
        scope.steps().done(this);
    }

    static String describe(String taskManager, long needed, long free) {
        return "TaskManager "
                + taskManager
                + " has "
                + free / MIB
                + " MiB of heap free for the key groups that are to move there, which take about "
                + (needed + MIB - 1) / MIB
                + " MiB: spread them over more TaskManagers or give it more heap ("
                + DrrsOptions.CHECK_HEAP.key()
                + ")";
    }

    private static String taskManager(Execution subtask) {
        return subtask.getAssignedResourceLocation().getResourceID().getResourceIdString();
    }

    private static long sum(int[] keyGroups, long[] heapBytes) {
        long sum = 0;
        for (int keyGroup : keyGroups) {
            sum += keyGroup < heapBytes.length ? heapBytes[keyGroup] : 0;
        }
        return sum;
    }
}
