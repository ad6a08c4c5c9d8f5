package dev.drrs.runtime.run;

import dev.drrs.protocol.CopyAhead;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.message.AskHeap;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.HeapReported;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Asks, before key groups move, whether each TaskManager has heap for those that come to it from
 * others. What moves within a TaskManager, or away from it, counts for nothing: it is taken for
 * free only once it has moved. What is copied ahead counts where it is there twice. Two rescales
 * that begin at the same moment do not know of each other. Main thread.
 */
final class HeapCheck implements Step {

    private static final long MIB = 1 << 20;

    /** What a TaskManager is to get, and the subtask that is asked for it. */
    private record Demand(String taskManager, long bytes) {}

    private final RunScope scope;
    private final KeyCheck keyCheck;
    private final CopyAhead copyAhead;
    private final Map<ExecutionAttemptID, Demand> open = new HashMap<>();
    private String fault;

    HeapCheck(RunScope scope, KeyCheck keyCheck, CopyAhead copyAhead) {
        this.scope = scope;
        this.keyCheck = keyCheck;
        this.copyAhead = copyAhead;
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
        copiedAhead()
                .forEach(
                        (oldOwner, twice) -> {
                            Execution owner = neighbours.execution(oldOwner);
                            bytes.merge(taskManager(owner), twice, Long::sum);
                            asked.putIfAbsent(taskManager(owner), owner);
                        });
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

    /** By old owner, about how many bytes a copy makes more while its key groups are there too. */
    private Map<Integer, Long> copiedAhead() {
        return copiedAhead(
                scope.subscales(),
                copyAhead,
                keyCheck.heapBytes(),
                owner -> taskManager(scope.neighbours().execution(owner)));
    }

    /**
     * At the old owner what is used while a copy of it goes out is there twice. At a new owner on
     * the same TaskManager the copy itself is, which is nothing more on another one, where it
     * becomes the state that has been counted. Both only for as much as is copied at a time.
     */
    static Map<Integer, Long> copiedAhead(
            List<Subscale> subscales,
            CopyAhead copyAhead,
            long[] heapBytes,
            IntFunction<String> taskManagers) {
        Map<Integer, Long> twice = new TreeMap<>();
        if (!copyAhead.isWanted()) {
            return twice;
        }
        Map<Integer, Long> all = new TreeMap<>();
        Map<Integer, Long> within = new TreeMap<>();
        Map<Integer, Long> largest = new TreeMap<>();
        for (Subscale subscale : subscales) {
            long bytes = sum(subscale.keyGroups(), heapBytes);
            int owner = subscale.oldOwner();
            all.merge(owner, bytes, Long::sum);
            largest.merge(owner, bytes, Math::max);
            boolean stays =
                    taskManagers.apply(owner).equals(taskManagers.apply(subscale.newOwner()));
            within.merge(owner, stays ? bytes : 0, Long::sum);
        }
        all.forEach(
                (owner, bytes) -> {
                    long most = Math.max(copyAhead.window(), largest.get(owner));
                    long copies = Math.min(most, bytes);
                    twice.put(owner, copies + Math.min(most, within.get(owner)));
                });
        return twice;
    }

    private void onReported(Execution subtask, HeapReported report) {
        Demand demand = open.remove(subtask.getAttemptId());
        if (demand == null) {
            return;
        }
        if (fault == null && demand.bytes() > report.free()) {
            boolean copies = copyAhead.isWanted();
            fault = describe(demand.taskManager(), demand.bytes(), report.free(), copies);
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

    static String describe(String taskManager, long needed, long free, boolean copies) {
        return "TaskManager "
                + taskManager
                + " has "
                + free / MIB
                + " MiB of heap free for the key groups that are to move there"
                + (copies ? " and for what is copied ahead of those that leave it" : "")
                + ", which take about "
                + (needed + MIB - 1) / MIB
                + " MiB: spread them over more TaskManagers or give it more heap"
                + (copies ? ", or copy less ahead, " + DrrsOptions.COPY_AHEAD_WINDOW.key() : "")
                + " ("
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
