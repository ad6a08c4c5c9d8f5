package dev.drrs.runtime.run;

import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.AskBuffers;
import dev.drrs.runtime.message.BufferNeed;
import dev.drrs.runtime.message.BuffersReserved;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.ReleaseBuffers;
import dev.drrs.runtime.message.ReserveBuffers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/**
 * Sees to it, before anything is deployed, that TaskManagers have the network buffers that a
 * rescale takes: tasks that are there reserve theirs, for subpartitions and channels of new
 * subtasks and for exchanges between owners. For the new subtasks themselves somebody on their
 * TaskManager is asked; where no task around them runs nobody can be, and a start of the job at
 * that parallelism would need as much there. Main thread.
 */
final class BufferCheck implements Preparation {

    private final RunScope scope;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private final List<Integer> fresh;
    private final SlotRequest slots;

    /** What each task that is there has to reserve. */
    private final Map<Execution, Needs> needs = new LinkedHashMap<>();

    /** What new subtasks will take, by TaskManager. */
    private final Map<String, BufferNeed> newcomers = new TreeMap<>();

    private final Map<ExecutionAttemptID, Execution> open = new HashMap<>();
    private String fault;
    private boolean asking;

    /** Of one task. */
    private static final class Needs {
        private final Map<String, List<Integer>> subpartitions = new HashMap<>();
        private final Map<Integer, Integer> channels = new HashMap<>();
        private BufferNeed exchanges = BufferNeed.NONE;
    }

    BufferCheck(RunScope scope, SlotRequest slots) {
        this.scope = scope;
        this.neighbours = scope.neighbours();
        // One that has ended needs no buffers; whoever is lost will be missed by what comes next.
        this.messenger = scope.messenger().telling((task, failure) -> onGone(task));
        this.fresh = scope.fresh();
        this.slots = slots;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(BuffersReserved.class, this::onReserved);
    }

    @Override
    public void begin() {
        addSubpartitions();
        addChannels();
        addExchanges();
        addNewcomers();
        Map<Execution, Needs> running = new LinkedHashMap<>(needs);
        running.keySet().removeIf(task -> task.getState() != ExecutionState.RUNNING);
        running.keySet().forEach(task -> open.put(task.getAttemptId(), task));
        running.forEach(
                (task, own) ->
                        messenger.send(
                                task,
                                new ReserveBuffers(
                                        scope.number(),
                                        own.subpartitions,
                                        own.channels,
                                        own.exchanges)));
        goOnIfAnswered();
    }

    private void onReserved(Execution task, BuffersReserved answer) {
        if (open.remove(task.getAttemptId()) != null) {
            fault = fault == null ? answer.fault() : fault;
            goOnIfAnswered();
        }
    }

    /** The task has ended, or cannot be reached. */
    void onGone(Execution task) {
        if (open.remove(task.getAttemptId()) != null) {
            goOnIfAnswered();
        }
    }

    /** The rescale is over. */
    void end() {
        open.clear();
        for (Execution task : needs.keySet()) {
            if (task.getState() == ExecutionState.RUNNING) {
                messenger.send(task, new ReleaseBuffers(scope.number()));
            }
        }
        needs.clear();
    }

    private void goOnIfAnswered() {
        if (!open.isEmpty()) {
            return;
        }
        if (fault == null && !asking) {
            asking = true;
            askForNewcomers();
        }
        if (!open.isEmpty()) {
            return;
        }
        if (fault == null) {
            scope.steps().done(this);
        } else {
            scope.steps().giveUp(this, fault);
        }
    }

    /** Behind all reservations, which count as taken. */
    private void askForNewcomers() {
        Map<String, Execution> there = new HashMap<>();
        for (Execution task : around()) {
            if (task.getState() == ExecutionState.RUNNING) {
                there.putIfAbsent(place(task.getVertex()), task);
            }
        }
        Map<Execution, BufferNeed> questions = new LinkedHashMap<>();
        newcomers.forEach(
                (taskManager, need) -> {
                    if (there.containsKey(taskManager)) {
                        questions.put(there.get(taskManager), need);
                    }
                });
        questions.keySet().forEach(task -> open.put(task.getAttemptId(), task));
        questions.forEach(
                (task, need) -> messenger.send(task, new AskBuffers(scope.number(), need)));
    }

    private List<Execution> around() {
        List<Execution> around = new ArrayList<>(neighbours.predecessors());
        neighbours.consumers().forEach(consumer -> around.add(consumer.task()));
        around.addAll(neighbours.groupActive());
        return around;
    }

    private void addSubpartitions() {
        if (fresh.isEmpty()) {
            return;
        }
        for (Neighbours.Input input : neighbours.inputs()) {
            for (Execution predecessor : input.predecessors()) {
                of(predecessor).subpartitions.put(input.dataSetId(), fresh);
            }
        }
    }

    private void addChannels() {
        for (Neighbours.Consumer consumer : neighbours.consumers()) {
            String place = place(consumer.task().getVertex());
            for (int subtask : fresh) {
                ExecutionVertex producer = producer(consumer, subtask);
                if (!place.equals(place(producer))) {
                    of(consumer.task()).channels.merge(consumer.gate(), 1, Integer::sum);
                }
            }
        }
    }

    private ExecutionVertex producer(Neighbours.Consumer consumer, int subtask) {
        return neighbours.groupSubtasks(subtask).stream()
                .filter(
                        member ->
                                member.getJobVertex().getJobVertex().getProducedDataSets().stream()
                                        .anyMatch(set -> set.getId().equals(consumer.dataSet())))
                .findFirst()
                .orElseThrow();
    }

    private void addExchanges() {
        Map<Integer, BufferNeed> byOwner = new TreeMap<>();
        List<List<Integer>> pairs =
                scope.subscales().stream()
                        .map(subscale -> List.of(subscale.oldOwner(), subscale.newOwner()))
                        .distinct()
                        .toList();
        for (List<Integer> pair : pairs) {
            int remote = areApart(pair) ? 1 : 0;
            pair.forEach(
                    owner ->
                            byOwner.merge(
                                    owner,
                                    new BufferNeed(
                                            BufferNeed.OF_WRITER + BufferNeed.OF_GATE, remote),
                                    BufferCheck::sum));
        }
        if (!pairs.isEmpty() && scope.option(DrrsOptions.EXCHANGE_PROBE) > 0) {
            List<Integer> first = pairs.get(0);
            byOwner.merge(first.get(0), new BufferNeed(BufferNeed.OF_WRITER, 0), BufferCheck::sum);
            byOwner.merge(
                    first.get(1),
                    new BufferNeed(BufferNeed.OF_GATE, areApart(first) ? 1 : 0),
                    BufferCheck::sum);
        }
        byOwner.forEach(
                (owner, need) -> {
                    if (fresh.contains(owner)) {
                        newcomer(neighbours.subtask(owner), need);
                    } else {
                        of(neighbours.execution(owner)).exchanges = need;
                    }
                });
    }

    private boolean areApart(List<Integer> pair) {
        return !place(neighbours.subtask(pair.get(0)))
                .equals(place(neighbours.subtask(pair.get(1))));
    }

    private void addNewcomers() {
        for (int subtask : fresh) {
            List<ExecutionVertex> group = neighbours.groupSubtasks(subtask);
            for (ExecutionVertex member : group) {
                BufferNeed need = BufferNeed.NONE;
                for (IntermediateDataSet output :
                        member.getJobVertex().getJobVertex().getProducedDataSets()) {
                    for (JobEdge edge : output.getConsumers()) {
                        need = need.plus(neighbours.receivers(edge) + 1, 0);
                    }
                }
                for (JobEdge edge : member.getJobVertex().getJobVertex().getInputs()) {
                    int apart =
                            (int)
                                    neighbours.senders(edge, subtask).stream()
                                            .filter(s -> !place(s).equals(place(member)))
                                            .count();
                    need = need.plus(BufferNeed.OF_GATE, apart);
                }
                newcomer(member, need);
            }
        }
    }

    private void newcomer(ExecutionVertex subtask, BufferNeed need) {
        newcomers.merge(place(subtask), need, BufferCheck::sum);
    }

    private static BufferNeed sum(BufferNeed some, BufferNeed more) {
        return some.plus(more.buffers(), more.remoteChannels());
    }

    private Needs of(Execution task) {
        return needs.computeIfAbsent(task, any -> new Needs());
    }

    /** The TaskManager; none yet for a task that is being restarted, whose rescale is over. */
    private String place(ExecutionVertex subtask) {
        ResourceID slot = slots.place(subtask);
        TaskManagerLocation now = subtask.getCurrentAssignedResourceLocation();
        if (slot == null && now == null) {
            return "";
        }
        return (slot == null ? now.getResourceID() : slot).getResourceIdString();
    }
}
