package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Fault;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.PlanValidator;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Strategy;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.drain.Drains;
import dev.drrs.runtime.rest.FaultCode;
import dev.drrs.runtime.rest.Faults;
import dev.drrs.runtime.rest.JobRequest;
import dev.drrs.runtime.rest.RescaleRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;

/**
 * Looks for everything that is wrong with a request to rescale, before anything is touched. Main
 * thread.
 */
final class RequestCheck {

    private static final String DEFAULT_STRATEGY = "drrs";

    private final ElasticJob job;
    private final JobRequest request;
    private final Faults faults = new Faults();
    private RescaleRequest body;
    private ElasticVertex vertex;
    private Strategy.Settings settings;
    private Plan plan;

    RequestCheck(ElasticJob job, Rescales rescales, JobRequest request) {
        this.job = job;
        this.request = request;
        this.body = RescaleRequest.parse(request.body(), faults);
        checkJob(rescales);
        if (body == null) {
            return;
        }
        checkStrategy();
        if (body.vertex() != null) {
            vertex = findVertex();
        }
        if (vertex != null && !faults.has(FaultCode.JOB_NOT_RUNNING)) {
            String notRunning =
                    new Neighbours(job, vertex, DrrsSchedulerAccess.executionGraph(job.scheduler()))
                            .notRunning();
            if (notRunning != null) {
                faults.add(FaultCode.JOB_NOT_RUNNING, "Not all tasks run: " + notRunning + ".");
            }
        }
        if (vertex != null) {
            String unsupported = rescales.unsupported(vertex);
            if (unsupported != null) {
                faults.add(
                        FaultCode.NOT_SUPPORTED,
                        "Operator " + vertex.name() + " cannot be rescaled: " + unsupported);
            }
        }
        readPlan();
        if (vertex != null && body.parallelism() != null) {
            checkParallelism(body.parallelism());
        }
        checkPlan();
    }

    Faults faults() {
        return faults;
    }

    boolean isDryRun() {
        return body.dryRun();
    }

    ElasticVertex vertex() {
        return vertex;
    }

    RescaleRun.Order order() {
        return new RescaleRun.Order(
                request.requestId(),
                body.parallelism(),
                strategyName(),
                body.cause(),
                plan,
                settings);
    }

    private void checkJob(Rescales rescales) {
        JobStatus status =
                job.scheduler() == null
                        ? null
                        : DrrsSchedulerAccess.executionGraph(job.scheduler()).getState();
        if (status != JobStatus.RUNNING) {
            faults.add(
                    FaultCode.JOB_NOT_RUNNING,
                    "The job is "
                            + (status == null ? "not started yet" : status)
                            + "; a rescale needs it RUNNING.");
        }
        if (rescales.current() != null) {
            faults.add(
                    FaultCode.RESCALE_IN_PROGRESS,
                    "Rescale "
                            + rescales.current().order().requestId()
                            + " of this job is under way ("
                            + rescales.current().lifecycle().phase()
                            + "); wait for its end or abort it.");
        }
        List<String> without = request.cluster().taskManagersWithoutPlugin();
        if (!without.isEmpty()) {
            faults.add(
                    FaultCode.PLUGIN_MISSING_ON_TASKMANAGER,
                    "The plug-in is missing on TaskManager "
                            + String.join(", ", without)
                            + "; put the jar into lib/ there, add the agent and restart it.");
        }
    }

    private String strategyName() {
        return body.strategy() == null ? DEFAULT_STRATEGY : body.strategy();
    }

    private void checkStrategy() {
        Strategy strategy = Strategies.byName(strategyName()).orElse(null);
        if (strategy == null) {
            faults.add(
                    FaultCode.UNKNOWN_STRATEGY,
                    "There is no strategy "
                            + strategyName()
                            + "; there is "
                            + String.join(", ", Strategies.names())
                            + ".");
            return;
        }
        Map<String, String> options = new HashMap<>();
        strategy.optionNames()
                .forEach(
                        name -> {
                            if (job.settings().containsKey(name)) {
                                options.put(name, job.settings().get(name));
                            }
                        });
        options.putAll(body.options());
        List<Fault> wrong = strategy.check(options);
        wrong.forEach(this::add);
        if (wrong.isEmpty()) {
            settings = strategy.settings(options);
        }
    }

    private ElasticVertex findVertex() {
        String wanted = body.vertex();
        List<ElasticVertex> elastic =
                job.vertices().stream()
                        .filter(
                                v ->
                                        matches(
                                                wanted,
                                                v.id().toString(),
                                                v.operator().toString(),
                                                v.uid(),
                                                v.name()))
                        .toList();
        List<RigidVertex> rigid =
                job.rigid().stream()
                        .filter(
                                v ->
                                        matches(
                                                wanted,
                                                v.id().toString(),
                                                v.operator().toString(),
                                                v.uid(),
                                                v.name()))
                        .toList();
        if (elastic.size() + rigid.size() > 1) {
            List<String> ids = new ArrayList<>();
            elastic.forEach(v -> ids.add(v.id().toString()));
            rigid.forEach(v -> ids.add(v.id().toString()));
            faults.add(
                    FaultCode.AMBIGUOUS_VERTEX,
                    ids.size()
                            + " vertices are named "
                            + wanted
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
        if (elastic.isEmpty()) {
            faults.add(
                    FaultCode.UNKNOWN_VERTEX,
                    "The job has no elastic operator " + wanted + "; it has " + known() + ".");
            return null;
        }
        return elastic.get(0);
    }

    private static boolean matches(
            String wanted, String id, String operator, String uid, String name) {
        return wanted.equals(id)
                || wanted.equals(operator)
                || Objects.equals(wanted, uid)
                || wanted.equals(name);
    }

    private String known() {
        List<String> names = new ArrayList<>();
        job.vertices().forEach(v -> names.add(v.uid() == null ? v.name() : v.uid()));
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
        int needed = slotsNeeded();
        int missing = needed - request.cluster().freeSlots();
        if (missing > 0
                && request.cluster().freeSlots() >= 0
                && !request.cluster().elasticCluster()
                && job.configuration().get(DrrsOptions.CHECK_SLOTS)) {
            faults.add(
                    FaultCode.NOT_ENOUGH_SLOTS,
                    "Parallelism "
                            + wanted
                            + " needs "
                            + needed
                            + " more slots, "
                            + request.cluster().freeSlots()
                            + " are free: "
                            + missing
                            + " missing.");
        }
    }

    /** A new subtask may share a slot that the job holds already. */
    private int slotsNeeded() {
        return DrrsSchedulerAccess.slotsNeeded(
                job.scheduler(), newSubtasks().map(ExecutionVertex::getID).toList());
    }

    /**
     * Those that the plan activates; without a usable plan as many dormant ones as the parallelism
     * asks for.
     */
    private Stream<ExecutionVertex> newSubtasks() {
        boolean planned =
                plan != null
                        && plan.owners().first() >= 0
                        && plan.owners().last() < vertex.ceiling();
        Stream<ExecutionVertex> dormant =
                Stream.of(
                                DrrsSchedulerAccess.executionGraph(job.scheduler())
                                        .getJobVertex(vertex.id())
                                        .getTaskVertices())
                        .filter(subtask -> !vertex.isActive(subtask.getParallelSubtaskIndex()));
        return planned
                ? dormant.filter(
                        subtask -> plan.owners().contains(subtask.getParallelSubtaskIndex()))
                : dormant.limit(Math.max(0, body.parallelism() - vertex.activeCount()));
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
                                                + vertex.name()
                                                + " would share a slot of other tasks on TaskManager "
                                                + held.getResourceID().getResourceIdString()
                                                + ", which is drained; activate another subtask or undrain it.");
                            }
                        });
    }

    private void readPlan() {
        if (body.hasPlan()) {
            plan =
                    new Plan(
                            body.placement(),
                            body.subscales().stream()
                                    .map(s -> new Plan.Move(s.from(), s.to(), s.keyGroups()))
                                    .toList());
        }
    }

    private void checkPlan() {
        if (!body.hasPlan()) {
            boolean half = body.placement() != null || body.subscales() != null;
            if (half) {
                faults.add(
                        FaultCode.PLAN_INCOMPLETE,
                        "A plan has both placement and subscales; "
                                + (body.placement() == null ? "placement" : "subscales")
                                + " is missing.");
            } else if (faults.isEmpty() && !body.dryRun()) {
                faults.add(
                        FaultCode.PLAN_MISSING,
                        "The request has no plan; give placement and subscales, as pyctl rescale does.");
            }
            return;
        }
        if (vertex != null && body.parallelism() != null && body.parallelism() >= 1) {
            PlanValidator.validate(vertex.placement(), body.parallelism(), vertex.ceiling(), plan)
                    .forEach(this::add);
            if (job.scheduler() != null) {
                checkDrained();
            }
        }
    }

    private void add(Fault fault) {
        faults.add(FaultCode.valueOf(fault.code()), fault.message());
    }
}
