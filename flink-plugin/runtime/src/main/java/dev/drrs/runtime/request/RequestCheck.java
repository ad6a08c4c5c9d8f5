package dev.drrs.runtime.request;

import dev.drrs.protocol.Plan;
import dev.drrs.protocol.PlanFault;
import dev.drrs.protocol.Strategies;
import dev.drrs.protocol.Strategy;
import dev.drrs.protocol.Units;
import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.Valid;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.Touching;
import dev.drrs.runtime.run.RescaleRun;
import dev.drrs.runtime.run.StrategyChoice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/**
 * Looks for everything that is wrong with a request to rescale, with all its operators, before
 * anything is touched. Main thread.
 */
final class RequestCheck {

    private final ElasticJob job;
    private final Rescales rescales;
    private final JobRequest request;
    private final Faults faults = new Faults();
    private final RescaleRequest body;
    private final List<OperatorCheck> operators = new ArrayList<>();
    private StrategyChoice strategy;

    /**
     * @param load of the operators of which the request gives the parallelism only
     */
    RequestCheck(ElasticJob job, Rescales rescales, JobRequest request, LoadCollector.Load load) {
        this.job = job;
        this.rescales = rescales;
        this.request = request;
        this.body = request.body();
        request.faults().forEach(fault -> faults.add(fault.code(), fault.message()));
        checkJob();
        checkStrategy();
        boolean running = !faults.has(FaultCode.JOB_NOT_RUNNING);
        for (RescaleRequest.Operator wanted : body.operators()) {
            OperatorCheck operator =
                    new OperatorCheck(
                            job,
                            rescales,
                            wanted,
                            running,
                            load,
                            units(),
                            request.cluster().heldSlots());
            operators.add(operator);
            operator.faults().all().forEach(fault -> add(operator, fault));
        }
        checkNamedOnce();
        checkNothingInTheWay();
        checkRest();
        checkStorage();
        checkSlots();
    }

    Faults faults() {
        return faults;
    }

    boolean isDryRun() {
        return body.dryRun();
    }

    /** Of a request without faults. */
    Valid valid() {
        return new Valid(true, operators.stream().map(RequestCheck::planned).toList());
    }

    private static Valid.Operator planned(OperatorCheck operator) {
        List<Plan.Move> moves = operator.plan().moves();
        return new Valid.Operator(
                operator.vertex().id().toString(),
                moves.stream().mapToInt(move -> move.keyGroups().length).sum(),
                moves.size());
    }

    /** Of a request without faults that is no dry run. */
    List<RescalePart> parts() {
        return operators.stream()
                .map(
                        operator ->
                                new RescalePart(
                                        operator.vertex(),
                                        new RescaleRun.Order(
                                                request.requestId(),
                                                operator.parallelism(),
                                                strategy,
                                                body.cause(),
                                                operator.plan())))
                .toList();
    }

    /** With several operators a fault says whose it is. */
    private void add(OperatorCheck operator, Faults.Fault fault) {
        boolean alone = body.operators().size() == 1 || operator.name() == null;
        faults.add(fault.code(), (alone ? "" : operator.name() + ": ") + fault.message());
    }

    private void checkJob() {
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
        List<String> without = request.cluster().taskManagersWithoutPlugin();
        if (!without.isEmpty()) {
            faults.add(
                    FaultCode.PLUGIN_MISSING_ON_TASKMANAGER,
                    "The JobManager's plug-in ("
                            + AgentState.identity()
                            + ") is missing on TaskManager "
                            + String.join(", ", without)
                            + "; put the same jar into lib/ there, add the agent and restart it.");
        }
    }

    private String strategyName() {
        return body.strategy() == null ? Strategies.DEFAULT : body.strategy();
    }

    private void checkStrategy() {
        Strategy named = Strategies.byName(strategyName()).orElse(null);
        if (named == null) {
            faults.add(
                    FaultCode.UNKNOWN_STRATEGY,
                    "There is no strategy "
                            + strategyName()
                            + "; there is "
                            + String.join(", ", Strategies.names())
                            + ".");
            return;
        }
        List<PlanFault> wrong =
                named.check(StrategyChoice.together(named, body.options(), job.settings()));
        wrong.forEach(fault -> faults.add(FaultCode.valueOf(fault.code()), fault.message()));
        if (wrong.isEmpty()) {
            strategy = StrategyChoice.of(named, body.options(), job.settings());
        }
    }

    /** Of the strategy; without one a plan is still made, to find its other faults. */
    private Units units() {
        return strategy == null ? Units.BOUNDED : strategy.policies().units();
    }

    private void checkNamedOnce() {
        Set<ElasticVertex> seen = new HashSet<>();
        for (OperatorCheck operator : operators) {
            if (operator.vertex() != null && !seen.add(operator.vertex())) {
                faults.add(
                        FaultCode.MALFORMED_REQUEST,
                        "Operator "
                                + operator.vertex().label()
                                + " is named more than once; each may be in a request only once.");
            }
        }
    }

    /** Rescales that do not touch go on at the same time. */
    private void checkNothingInTheWay() {
        if (job.scheduler() == null) {
            return;
        }
        Touching touching = rescales.touching();
        for (OperatorCheck operator : operators) {
            if (operator.vertex() == null) {
                continue;
            }
            for (Rescale other : rescales.open()) {
                for (RescalePart part : other.parts()) {
                    if (other.isUnfinished(part)
                            && touching.touch(operator.vertex(), part.vertex())) {
                        faults.add(
                                FaultCode.RESCALE_IN_PROGRESS,
                                inTheWay(touching, operator.vertex(), other, part));
                    }
                }
            }
        }
    }

    /**
     * State that stays until somebody waits for the end keeps waiting what waits for the rescale.
     */
    private void checkRest() {
        if (strategy == null
                || !strategy.policies().pullOrder().leavesRest()
                || job.scheduler() == null) {
            return;
        }
        String off =
                "Without its background migration strategy " + strategy.name() + " leaves state ";
        if (!job.gate().hasCheckpoints()) {
            faults.add(
                    FaultCode.NOT_SUPPORTED,
                    off
                            + "where it is until the next checkpoint, and the job takes none by itself:"
                            + " the rescale would not end. Leave it on, or switch checkpoints on.");
        }
        for (OperatorCheck operator : operators) {
            if (operator.vertex() != null
                    && !new Neighbours(job, operator.vertex()).dataSets(true).isEmpty()) {
                add(
                        operator,
                        new Faults.Fault(
                                FaultCode.NOT_SUPPORTED,
                                off
                                        + "where it is until the next checkpoint, and the broadcast input of"
                                        + " operator "
                                        + operator.vertex().label()
                                        + " would stand still as long. Leave it on."));
            }
        }
    }

    private void checkStorage() {
        String fault = strategy == null || !strategy.stores() ? null : rescales.folders().fault();
        if (fault != null) {
            faults.add(
                    FaultCode.NOT_SUPPORTED,
                    "Strategy "
                            + strategy.name()
                            + " moves state through shared storage, and "
                            + fault);
        }
    }

    private static String inTheWay(
            Touching touching, ElasticVertex vertex, Rescale other, RescalePart part) {
        String relation =
                vertex == part.vertex()
                        ? "of operator " + vertex.label()
                        : "of operator "
                                + part.vertex().label()
                                + ", which "
                                + (touching.feeds(part.vertex(), vertex)
                                        ? "sends records to "
                                        : "gets records from ")
                                + vertex.label()
                                + ",";
        return "Rescale "
                + other.requestId()
                + " "
                + relation
                + " is under way ("
                + part.phase()
                + "); wait for its end or abort it.";
    }

    /** For all operators together; a new subtask may share a slot that the job holds already. */
    private void checkSlots() {
        JobRequest.ClusterView cluster = request.cluster();
        if (job.scheduler() == null
                || cluster.freeSlots() < 0
                || cluster.elasticCluster()
                || !job.configuration().get(DrrsOptions.CHECK_SLOTS)) {
            return;
        }
        List<ExecutionVertexID> wanted = new ArrayList<>();
        for (OperatorCheck operator : operators) {
            if (operator.isComplete()) {
                operator.newSubtasks().map(ExecutionVertex::getID).forEach(wanted::add);
            }
        }
        long beyond = operators.stream().mapToLong(OperatorCheck::slotsBeyondCeiling).sum();
        int there = DrrsSchedulerAccess.slotsNeeded(job.scheduler(), wanted);
        wanted.addAll(spokenFor());
        int inAll = DrrsSchedulerAccess.slotsNeeded(job.scheduler(), wanted);
        int free = Math.max(0, cluster.freeSlots() - (inAll - there));
        long needed = there + beyond;
        if (needed > free) {
            faults.add(
                    FaultCode.NOT_ENOUGH_SLOTS,
                    wish()
                            + " needs "
                            + needed
                            + " more slots, "
                            + free
                            + " are free: "
                            + (needed - free)
                            + " missing.");
        }
    }

    private String wish() {
        return operators.size() == 1
                ? "Parallelism " + operators.get(0).parallelism()
                : operators.stream()
                        .filter(OperatorCheck::isComplete)
                        .map(operator -> operator.name() + "=" + operator.parallelism())
                        .collect(Collectors.joining(", ", "The request (", ")"));
    }

    /** New subtasks of requests that have been accepted and still wait for their turn. */
    private List<ExecutionVertexID> spokenFor() {
        List<ExecutionVertexID> ids = new ArrayList<>();
        for (RescalePart part : rescales.unfinished()) {
            if (!part.hasBegun()) {
                Neighbours neighbours = new Neighbours(job, part.vertex());
                for (int fresh : part.vertex().dormantAmong(part.order().plan().owners())) {
                    neighbours.groupSubtasks(fresh).forEach(subtask -> ids.add(subtask.getID()));
                }
            }
        }
        return ids;
    }
}
