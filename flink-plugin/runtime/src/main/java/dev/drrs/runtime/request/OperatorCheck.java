package dev.drrs.runtime.request;

import dev.drrs.protocol.KeyGroupLoad;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.PlanFault;
import dev.drrs.protocol.PlanValidator;
import dev.drrs.protocol.Units;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.FollowerVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.RigidVertex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/**
 * Looks for everything that is wrong with what a request wants of one operator, taken by itself.
 * Main thread.
 */
final class OperatorCheck {

    private final ElasticJob job;
    private final RescaleRequest.Operator wanted;
    private final Faults faults = new Faults();
    private final ElasticVertex vertex;
    private final Plan plan;
    private final Units units;

    /**
     * @param running whether the job runs, so that its tasks should
     * @param load what a plan is made from if the request has none
     * @param units in which its key groups move
     * @param heldSlots as {@link RequestPlanner} has them
     */
    OperatorCheck(
            ElasticJob job,
            Rescales rescales,
            RescaleRequest.Operator wanted,
            boolean running,
            LoadCollector.Load load,
            Units units,
            Map<String, Integer> heldSlots) {
        this.job = job;
        this.wanted = wanted;
        this.units = units;
        this.vertex = wanted.vertex() == null ? onlyVertex(rescales) : findVertex();
        this.plan =
                wanted.hasPlan()
                        ? readPlan()
                        : isPlannable()
                                ? new RequestPlanner(job, rescales, vertex, heldSlots)
                                        .plan(wanted.parallelism(), load.of(vertex), units)
                                : null;
        if (vertex != null) {
            checkState(rescales, running);
            if (wanted.parallelism() != null) {
                checkParallelism(wanted.parallelism());
            }
        }
        checkPlan();
        if (faults.isEmpty() && vertex != null && plan != null) {
            checkOperatorState(rescales);
        }
    }

    Faults faults() {
        return faults;
    }

    /** How the request names it; null if neither it nor the job does. */
    String name() {
        if (wanted.vertex() == null) {
            return vertex == null ? null : vertex.label();
        }
        return wanted.vertex().isEmpty() ? null : wanted.vertex();
    }

    /** Null if it was not found. */
    ElasticVertex vertex() {
        return vertex;
    }

    int parallelism() {
        return wanted.parallelism();
    }

    /** The request's own, else the one made here, in the strategy's units. Without faults only. */
    Plan plan() {
        int[] present = vertex.placement();
        return wanted.hasPlan()
                ? units.of(plan, present, KeyGroupLoad.unknown(present.length))
                : plan;
    }

    /** Whether it says what is to become of the operator, apart from a plan. */
    boolean isComplete() {
        return vertex != null && wanted.parallelism() != null && wanted.parallelism() >= 1;
    }

    /** Whether the request leaves the plan to the JobManager, and one can be made. */
    private boolean isPlannable() {
        return wanted.isToBePlanned()
                && isComplete()
                && wanted.parallelism() <= Math.min(vertex.ceiling(), vertex.maxParallelism())
                && wanted.parallelism() != vertex.activeCount()
                && job.scheduler() != null;
    }

    /** The one that is meant if the request names none. */
    private ElasticVertex onlyVertex(Rescales rescales) {
        List<ElasticVertex> all = List.copyOf(job.vertices());
        List<ElasticVertex> movable =
                all.stream().filter(one -> rescales.unsupported(one) == null).toList();
        if (movable.size() == 1) {
            return movable.get(0);
        }
        if (all.size() == 1) {
            return all.get(0);
        }
        if (all.isEmpty()) {
            faults.add(
                    FaultCode.NOT_ELASTIC,
                    "The job has no operator that can be rescaled"
                            + job.rigid().stream()
                                    .map(one -> "; " + one.name() + ": " + one.reason())
                                    .collect(Collectors.joining())
                            + ".");
        } else {
            faults.add(
                    FaultCode.AMBIGUOUS_VERTEX,
                    "The job has "
                            + all.size()
                            + " elastic operators and the request names none; give \"vertex\", one of "
                            + known()
                            + ".");
        }
        return null;
    }

    private void checkState(Rescales rescales, boolean running) {
        String notRunning = running ? new Neighbours(job, vertex).notRunning() : null;
        if (notRunning != null) {
            faults.add(FaultCode.JOB_NOT_RUNNING, "Not all tasks run: " + notRunning + ".");
        }
        String unsupported = rescales.unsupported(vertex);
        if (unsupported != null) {
            faults.add(
                    FaultCode.NOT_SUPPORTED,
                    "Operator " + vertex.name() + " cannot be rescaled: " + unsupported);
        }
    }

    private void checkOperatorState(Rescales rescales) {
        List<Integer> emptied = new ArrayList<>();
        for (int subtask = 0; subtask < vertex.ceiling(); subtask++) {
            if (vertex.isActive(subtask) && !plan.owners().contains(subtask)) {
                emptied.add(subtask);
            }
        }
        List<Integer> fresh = vertex.dormantAmong(plan.owners());
        new OperatorStateCheck(job, vertex, rescales.operatorStates(vertex))
                .faults(fresh, emptied)
                .forEach(fault -> faults.add(FaultCode.NOT_SUPPORTED, fault));
    }

    private ElasticVertex findVertex() {
        String name = wanted.vertex();
        if (name.isEmpty()) {
            return null; // a fault of form
        }
        List<ElasticVertex> elastic =
                job.vertices().stream().filter(v -> v.answersTo(name)).toList();
        List<RigidVertex> rigid = job.rigid().stream().filter(v -> v.answersTo(name)).toList();
        if (elastic.size() + rigid.size() > 1) {
            List<String> ids = new ArrayList<>();
            elastic.forEach(v -> ids.add(v.id().toString()));
            rigid.forEach(v -> ids.add(v.id().toString()));
            faults.add(
                    FaultCode.AMBIGUOUS_VERTEX,
                    ids.size()
                            + " vertices are named "
                            + name
                            + "; name one by its id: "
                            + String.join(", ", ids)
                            + ".");
            return null;
        }
        if (!rigid.isEmpty()) {
            faults.add(
                    FaultCode.NOT_SUPPORTED,
                    "Operator "
                            + rigid.get(0).name()
                            + " cannot be rescaled: "
                            + rigid.get(0).reason()
                            + ".");
            return null;
        }
        FollowerVertex follower = elastic.isEmpty() ? findFollower(name) : null;
        if (follower != null) {
            faults.add(
                    FaultCode.NOT_SUPPORTED,
                    "Operator "
                            + follower.name()
                            + " cannot be rescaled by itself: "
                            + follower.reason()
                            + ".");
            return null;
        }
        if (elastic.isEmpty()) {
            faults.add(
                    FaultCode.UNKNOWN_VERTEX,
                    "The job has no elastic operator " + name + "; it has " + known() + ".");
            return null;
        }
        return elastic.get(0);
    }

    private FollowerVertex findFollower(String name) {
        for (ElasticVertex leader : job.vertices()) {
            for (FollowerVertex v : job.followers(leader)) {
                if (v.answersTo(name)) {
                    return v;
                }
            }
        }
        return null;
    }

    private String known() {
        List<String> names = new ArrayList<>();
        job.vertices().forEach(v -> names.add(v.label()));
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    private void checkParallelism(int wanted) {
        int present = vertex.activeCount();
        if (wanted < 1) {
            faults.add(FaultCode.PARALLELISM_BELOW_ONE, "Parallelism " + wanted + " is below 1.");
            return;
        }
        if (wanted == present
                && (plan == null || Arrays.equals(plan.placement(), vertex.placement()))) {
            faults.add(
                    FaultCode.PARALLELISM_UNCHANGED,
                    "Operator "
                            + vertex.name()
                            + " runs with parallelism "
                            + present
                            + " already, and the request moves no key group.");
        }
        if (wanted > vertex.maxParallelism()) {
            faults.add(
                    FaultCode.ABOVE_MAX_PARALLELISM,
                    "Parallelism "
                            + wanted
                            + " is above the operator's max parallelism "
                            + vertex.maxParallelism()
                            + ".");
        }
        if (wanted > vertex.ceiling()) {
            faults.add(
                    FaultCode.ABOVE_CEILING,
                    "Parallelism "
                            + wanted
                            + " is above the operator's ceiling "
                            + vertex.ceiling()
                            + "; a higher one ("
                            + DrrsOptions.CEILING.key()
                            + ") takes effect when the job is started anew.");
        }
    }

    /**
     * Those that the plan activates, with those that scale together with them; without a usable
     * plan as many dormant ones as the parallelism asks for.
     */
    Stream<ExecutionVertex> newSubtasks() {
        boolean planned =
                plan != null
                        && plan.owners().first() >= 0
                        && plan.owners().last() < vertex.ceiling();
        IntStream dormant =
                IntStream.range(0, vertex.ceiling()).filter(subtask -> !vertex.isActive(subtask));
        IntStream fresh =
                planned
                        ? dormant.filter(plan.owners()::contains)
                        : dormant.limit(Math.max(0, wanted.parallelism() - vertex.activeCount()));
        Neighbours neighbours = new Neighbours(job, vertex);
        return fresh.boxed().flatMap(subtask -> neighbours.groupSubtasks(subtask).stream());
    }

    /**
     * Slots for the subtasks that there are not, as they would be above the ceiling: one for each
     * slot that a subtask takes with those that scale together with it.
     */
    long slotsBeyondCeiling() {
        if (!isComplete() || wanted.parallelism() <= vertex.ceiling()) {
            return 0;
        }
        long slotsOfOne =
                new Neighbours(job, vertex)
                        .groupSubtasks(0).stream()
                                .map(
                                        subtask ->
                                                DrrsSchedulerAccess.slotGroup(
                                                        job.scheduler(), subtask.getID()))
                                .distinct()
                                .count();
        return slotsOfOne * (wanted.parallelism() - vertex.ceiling());
    }

    /** A new subtask has to go where its slot sharing group is, which may be drained. */
    private void checkDrained() {
        newSubtasks()
                .forEach(
                        subtask -> {
                            TaskManagerLocation held =
                                    DrrsSchedulerAccess.slotOf(job.scheduler(), subtask.getID());
                            if (held != null && Drains.isDrained(held.getResourceID())) {
                                faults.add(
                                        FaultCode.TASK_MANAGER_DRAINED,
                                        "Subtask "
                                                + subtask.getParallelSubtaskIndex()
                                                + " of "
                                                + subtask.getJobVertex().getName()
                                                + " would share a slot of other tasks on TaskManager "
                                                + held.getResourceID().getResourceIdString()
                                                + ", which is drained; activate another subtask or undrain it.");
                            }
                        });
    }

    private Plan readPlan() {
        return new Plan(
                wanted.placement(),
                wanted.subscales().stream()
                        .map(s -> new Plan.Move(s.from(), s.to(), s.keyGroups()))
                        .toList());
    }

    private void checkPlan() {
        if (plan == null) {
            if (!wanted.isToBePlanned()) {
                faults.add(
                        FaultCode.PLAN_INCOMPLETE,
                        "A plan has both placement and subscales; "
                                + (wanted.placement() == null ? "placement" : "subscales")
                                + " is missing.");
            }
        } else if (isComplete()) {
            PlanValidator.validate(vertex.placement(), wanted.parallelism(), vertex.ceiling(), plan)
                    .forEach(this::add);
            if (job.scheduler() != null) {
                checkDrained();
            }
        }
    }

    private void add(PlanFault fault) {
        faults.add(FaultCode.valueOf(fault.code()), fault.message());
    }
}
