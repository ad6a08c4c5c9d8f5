package dev.drrs.runtime.request;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Strategies;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.answer.Accepted;
import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import dev.drrs.runtime.answer.RescaleHistory;
import dev.drrs.runtime.history.Facts;
import dev.drrs.runtime.history.PastRescales;
import dev.drrs.runtime.history.Statuses;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.JobRescales;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.Touching;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.LoadReport;
import dev.drrs.runtime.message.OfJob;
import dev.drrs.runtime.message.OfRescale;
import dev.drrs.runtime.message.OperatorStates;
import dev.drrs.runtime.message.Unsupported;
import dev.drrs.runtime.remote.StateFolders;
import dev.drrs.runtime.run.CoordinatorRehearsal;
import dev.drrs.runtime.run.EventRoute;
import dev.drrs.runtime.run.RescaleRun;
import dev.drrs.runtime.run.RunMetrics;
import dev.drrs.runtime.run.SubscaleIds;
import dev.drrs.runtime.task.TaskHello;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/**
 * The rescales of one job: those under way, which do not touch, and those that ended. Main thread.
 */
public final class Rescales implements JobRescales, Rescale.Host {

    /** In the directory of the job's checkpoints, which may be that of other jobs as well. */
    private static final String REMOTE = "drrs-remote-";

    private final ElasticJob job;
    private final SubscaleIds ids = new SubscaleIds();
    private final EventRoute route;
    private final Handlers<Execution, RuntimeException> ofJob =
            new Handlers<>(task -> "of task " + task.getVertexWithAttempt());
    private final Recoveries recoveries;
    private final Map<JobVertexID, String> unsupported = new HashMap<>();
    private final Map<JobVertexID, Set<OperatorStates.One>> operatorStates = new HashMap<>();
    private final LoadCollector loads;
    private final RunMetrics metrics = new RunMetrics();
    private final PastRescales memory;
    private final StateFolders folders;
    private final LeftLists leftLists;

    /** Newest first. */
    private final Deque<Rescale> all = new ArrayDeque<>();

    /** In the order in which they were accepted. */
    private final List<Rescale> open = new ArrayList<>();

    private int lastNumber;
    private boolean closed;

    public Rescales(ElasticJob job) {
        this.job = job;
        this.route = new EventRoute(job);
        this.recoveries = new Recoveries(job);
        this.loads = new LoadCollector(job);
        this.memory = PastRescales.load(job);
        this.leftLists = new LeftLists(job, this);
        this.folders =
                new StateFolders(
                        this::directory,
                        job::ioExecutor,
                        memory.past().stream().anyMatch(Rescales::stored));
        recoveries.remember(memory.targets());
        ofJob.on(LoadReport.class, loads::add)
                .on(Unsupported.class, this::onUnsupported)
                .on(OperatorStates.class, this::onOperatorStates)
                .on(TaskHello.class, (task, hello) -> runs().forEach(run -> run.onHello(task)));
    }

    /** Of the job in shared storage, null if there is none. */
    private Path directory() {
        String configured = job.configuration().get(DrrsOptions.REMOTE_DIRECTORY);
        Path checkpoints = configured == null ? job.gate().checkpointDirectory() : null;
        return configured != null
                ? new Path(configured, job.id().toString())
                : checkpoints == null ? null : new Path(checkpoints, REMOTE + job.id());
    }

    private static boolean stored(Facts facts) {
        return Strategies.byName(facts.strategy())
                .map(strategy -> strategy.policies(Map.of()).stores())
                .orElse(false);
    }

    /** The scheduler is known and runs. */
    @Override
    public void started() {
        job.gate()
                .start(
                        job.mainThread(),
                        job.configuration().get(DrrsOptions.CHECKPOINT_PATIENCE),
                        job.configuration().get(DrrsOptions.CHECKPOINT_HOLD));
        metrics.register(DrrsSchedulerAccess.jobMetrics(job.scheduler()));
        if (job.configuration().get(DrrsOptions.REHEARSAL) && !job.vertices().isEmpty()) {
            CoordinatorRehearsal.jobStarted();
        }
    }

    StateFolders folders() {
        return folders;
    }

    /** Those under way. */
    List<Rescale> open() {
        return List.copyOf(open);
    }

    /** Why a subtask says that the vertex's state cannot be moved, or null. */
    String unsupported(ElasticVertex vertex) {
        return unsupported.get(vertex.id());
    }

    /** The operator (non-keyed) states that subtasks say they have. */
    Collection<OperatorStates.One> operatorStates(ElasticVertex vertex) {
        return operatorStates.getOrDefault(vertex.id(), Set.of());
    }

    Rescale find(String requestId) {
        return all.stream()
                .filter(rescale -> rescale.requestId().equals(requestId))
                .findFirst()
                .orElse(null);
    }

    /** The keyed vertex that the task's own one is, or scales together with. */
    private JobVertexID leader(Execution task) {
        return job.member(task.getVertex().getJobvertexId()).leader().id();
    }

    /** Parts that are under way or have still to come. */
    List<RescalePart> unfinished() {
        return open.stream()
                .flatMap(rescale -> rescale.parts().stream().filter(rescale::isUnfinished))
                .toList();
    }

    Touching touching() {
        return new Touching(job, graph());
    }

    // ---- requests -------------------------------------------------------------------------------

    @Override
    public CompletableFuture<CoordinationResponse> answer(CoordinationRequest request) {
        return request instanceof JobRequest ours ? answer(ours).thenApply(answer -> answer) : null;
    }

    private CompletableFuture<JobAnswer> answer(JobRequest request) {
        return switch (request.verb()) {
            case VERTICES ->
                    loads.collect()
                            .thenApply(
                                    load ->
                                            JobAnswer.ok(
                                                    new VertexAnswers(
                                                                    job,
                                                                    this,
                                                                    load,
                                                                    request.cluster())
                                                            .all()));
            case HISTORY -> CompletableFuture.completedFuture(JobAnswer.ok(history()));
            case STATUS -> CompletableFuture.completedFuture(status(request.requestId()));
            case ABORT -> CompletableFuture.completedFuture(abort(request.requestId()));
            case RESCALE -> rescale(request);
        };
    }

    private JobAnswer status(String requestId) {
        Rescale rescale = find(requestId);
        Facts facts = rescale == null ? memory.find(requestId) : RequestFacts.of(rescale);
        return facts == null
                ? unknown(requestId)
                : JobAnswer.ok(Statuses.of(withContinuing(facts), System.currentTimeMillis()));
    }

    private RescaleHistory history() {
        return Statuses.all(all(), System.currentTimeMillis());
    }

    /** All that is known, of earlier JobManagers too, newest first. */
    private List<Facts> all() {
        List<Facts> facts = own();
        facts.addAll(memory.past());
        return facts;
    }

    private List<Facts> own() {
        List<Facts> facts = new ArrayList<>();
        all.forEach(rescale -> facts.add(withContinuing(RequestFacts.of(rescale))));
        memory.past().replaceAll(this::withContinuing);
        return facts;
    }

    /** The history as it will be for ever: what has not ended never does. */
    @Override
    public RescaleHistory historyAtEnd(JobStatus state) {
        List<Facts> facts = all();
        facts.replaceAll(one -> one.failed("the job is " + state));
        return Statuses.all(facts, System.currentTimeMillis());
    }

    /** With the rescales that go on with it after a failover, also those still to come. */
    private Facts withContinuing(Facts facts) {
        Set<String> ids = new LinkedHashSet<>();
        if (facts.phase() == Phase.FAILED) {
            for (String before : facts.continuedBy()) {
                if (memory.find(before) != null) {
                    ids.add(before);
                }
            }
            for (Rescale rescale : all) {
                if (rescale.resumes()
                        && Recovery.isAttempt(rescale.requestId(), facts.requestId())) {
                    ids.add(rescale.requestId());
                }
            }
            ids.addAll(recoveries.continuing(facts.requestId()));
        }
        return facts.continuedBy(List.copyOf(ids));
    }

    private JobAnswer abort(String requestId) {
        Rescale rescale = find(requestId);
        Facts past = memory.find(requestId);
        if (rescale == null && past == null) {
            return unknown(requestId);
        }
        if (rescale == null || !rescale.isAbortable()) {
            return Faults.answer(
                    FaultCode.NOT_ABORTABLE,
                    "Rescale "
                            + requestId
                            + " is "
                            + (rescale == null ? past.phase() : rescale.phase())
                            + " and cannot be aborted any more.");
        }
        rescale.abort("aborted by request");
        advanceSoon();
        return JobAnswer.accepted(new Accepted(requestId));
    }

    private static JobAnswer unknown(String requestId) {
        return Faults.answer(
                FaultCode.UNKNOWN_RESCALE,
                "The job knows no rescale " + requestId + "; its history lists those it has seen.");
    }

    /** What is to be planned here goes by what the tasks say of their key groups. */
    private CompletableFuture<JobAnswer> rescale(JobRequest request) {
        boolean planned =
                request.body().operators().stream()
                        .noneMatch(RescaleRequest.Operator::isToBePlanned);
        return planned || isKnown(request.requestId())
                ? rescale(request, new LoadCollector.Load())
                : loads.collect().thenCompose(load -> rescale(request, load));
    }

    private boolean isKnown(String requestId) {
        return find(requestId) != null || memory.find(requestId) != null;
    }

    /** The answer comes when the next JobManager would know of it. */
    private CompletableFuture<JobAnswer> rescale(JobRequest request, LoadCollector.Load load) {
        JobAnswer accepted = JobAnswer.accepted(new Accepted(request.requestId()));
        if (isKnown(request.requestId())) {
            return CompletableFuture.completedFuture(accepted);
        }
        if (closed) {
            return CompletableFuture.completedFuture(
                    Faults.answer(
                            FaultCode.UNAVAILABLE,
                            "The job's JobMaster stopped meanwhile; try again in a moment."));
        }
        RequestCheck check = new RequestCheck(job, this, request, load);
        if (!check.faults().isEmpty()) {
            return CompletableFuture.completedFuture(check.faults().toAnswer());
        }
        if (check.isDryRun()) {
            return CompletableFuture.completedFuture(JobAnswer.ok(check.valid()));
        }
        List<RescalePart> parts = check.parts();
        parts.forEach(part -> recoveries.forget(part.vertex())); // the request says where to go
        begin(new Rescale(parts, this, null));
        return save().thenApply(done -> accepted);
    }

    /** As if somebody had asked for it; it has been checked. */
    void beginByItself(Rescale rescale) {
        begin(rescale);
        save();
    }

    private CompletableFuture<Void> save() {
        return memory.save(
                own(), recoveries.ifLost(open).stream().map(Recovery::kept).toList(), job);
    }

    private void begin(Rescale rescale) {
        open.add(rescale);
        all.addFirst(rescale);
        int tooMany = all.size() - Math.max(1, job.configuration().get(DrrsOptions.HISTORY_SIZE));
        for (Iterator<Rescale> oldest = all.descendingIterator();
                tooMany > 0 && oldest.hasNext(); ) {
            if (oldest.next().isOver()) {
                oldest.remove();
                tooMany--;
            }
        }
        rescale.advance();
    }

    // ---- turns ----------------------------------------------------------------------------------

    @Override
    public boolean mayBegin(ElasticVertex vertex) {
        if (graph().getState() != JobStatus.RUNNING || !runs(vertex)) {
            return false;
        }
        Touching touching = touching();
        return runs().stream().noneMatch(run -> touching.touch(run.vertex(), vertex));
    }

    private boolean runs(ElasticVertex vertex) {
        return new Neighbours(job, vertex).notRunning() == null;
    }

    @Override
    public boolean touch(ElasticVertex one, ElasticVertex other) {
        return touching().touch(one, other);
    }

    @Override
    public RescaleRun newRun(Rescale rescale, ElasticVertex vertex, RescaleRun.Order order) {
        int number = nextNumber();
        String folder = order.strategy().stores() ? folders.folder(number) : null;
        return new RescaleRun(job, vertex, order, number, ids, folder, run -> ended(rescale, run));
    }

    /** Of a rescale, or of what is told apart from them by its number. */
    int nextNumber() {
        return ++lastNumber;
    }

    /** An id that no request has, of an earlier JobManager neither. */
    String newId(String kind) {
        String id;
        do {
            id = kind + "-" + nextNumber();
        } while (isKnown(id));
        return id;
    }

    private void ended(Rescale rescale, RescaleRun run) {
        metrics.add(run);
        folders.over(run.number(), run.lifecycle().phase() != Phase.FAILED);
        rescale.ended(run);
        recoveries.ended(rescale, run);
        advanceSoon();
    }

    @Override
    public void ended(Rescale rescale) {
        open.remove(rescale);
        recoveries.ended(rescale);
        if (!closed) {
            save();
        }
    }

    /** Not within what has just ended. */
    void advanceSoon() {
        if (!closed) {
            job.mainThread().execute(this::advance);
        }
    }

    private void advance() {
        if (closed) {
            return;
        }
        List.copyOf(open).forEach(Rescale::advance);
        leftLists.look();
        for (Recovery recovery : recoveries.waiting()) {
            Touching touching = touching();
            boolean free =
                    unfinished().stream()
                            .noneMatch(part -> touching.touch(part.vertex(), recovery.vertex()));
            if (!free || !mayBegin(recovery.vertex())) {
                continue;
            }
            if (!recovery.isNeeded()) {
                recoveries.forget(recovery.vertex());
            } else {
                RescalePart part = new RescalePart(recovery.vertex(), recovery.order());
                begin(new Rescale(List.of(part), this, recovery));
            }
        }
    }

    // ---- what happens in the job ----------------------------------------------------------------

    /** A task of the job says something to the plug-in. */
    @Override
    public void onTaskEvent(ExecutionAttemptID attempt, OperatorEvent event) {
        Execution task = graph().getRegisteredExecutions().get(attempt);
        if (task == null) {
            return; // of an attempt that is gone
        }
        if (event instanceof OfJob) {
            ofJob.handle(task, event);
        } else {
            for (RescaleRun run : runs()) {
                if (route.leadsTo(run, task, event)) {
                    run.onEvent(task, event);
                }
            }
            if (event instanceof OfRescale ofRescale) {
                leftLists.onEvent(task, ofRescale);
            }
        }
    }

    private void onUnsupported(Execution task, Unsupported reason) {
        unsupported.put(leader(task), reason.reason());
    }

    private void onOperatorStates(Execution task, OperatorStates states) {
        operatorStates
                .computeIfAbsent(leader(task), id -> new LinkedHashSet<>())
                .addAll(states.states());
    }

    /** A task's state has changed. */
    @Override
    public void onTaskState(ExecutionAttemptID attempt, ExecutionState state) {
        Execution task = graph().getRegisteredExecutions().get(attempt);
        if (task != null) {
            runs().forEach(run -> run.onTaskState(task, state));
        } else if (state == ExecutionState.FINISHED) { // not registered any more
            current(attempt)
                    .ifPresent(
                            ended -> {
                                runs().forEach(run -> run.onFinished(ended));
                                leftLists.onFinished(ended);
                            });
        }
        if (state == ExecutionState.RUNNING) {
            if (graph().getState() == JobStatus.RUNNING) {
                recoveries.lookForEmptySubtasks(this::isUnfinished);
                if (folders.mayBeLeft() && job.vertices().stream().allMatch(this::runs)) {
                    folders.attemptsOver();
                }
            }
            advance();
        }
    }

    private Optional<Execution> current(ExecutionAttemptID attempt) {
        ExecutionVertexID id = attempt.getExecutionVertexId();
        Execution current =
                graph().getJobVertex(id.getJobVertexId())
                        .getTaskVertices()[id.getSubtaskIndex()]
                        .getCurrentExecutionAttempt();
        return Optional.of(current).filter(one -> one.getAttemptId().equals(attempt));
    }

    private boolean isUnfinished(ElasticVertex vertex) {
        return unfinished().stream().anyMatch(part -> part.vertex() == vertex);
    }

    /**
     * A subtask of an elastic vertex has come to the end of its data. If lists are left that no
     * subtask more could be given ({@link LeftLists}), a restart deals them out, and the job ends
     * then.
     */
    @Override
    public void onEndOfData(ExecutionAttemptID attempt) {
        Execution task =
                DrrsSchedulerAccess.executionGraph(job.scheduler())
                        .getRegisteredExecutions()
                        .get(attempt);
        if (task != null && job.retired().isLeft(attempt.getJobVertexId())) {
            String name = task.getVertex().getJobVertex().getName();
            job.mainThread()
                    .execute(
                            () ->
                                    task.fail(
                                            new RescaleFailedException(
                                                    "Subtasks of "
                                                            + name
                                                            + " have retired and left list state:"
                                                            + " the job restarts before it ends, so"
                                                            + " that the running ones get it.")));
        }
    }

    /** A subtask that a rescale under way retires has ended. */
    @Override
    public void onRetired(Execution execution) {
        for (RescaleRun run : runs()) {
            if (route.covers(run, execution.getVertex().getJobvertexId())) {
                run.onRetired(execution);
            }
        }
    }

    @Override
    public void onListsLeft(ElasticVertex vertex) {
        leftLists.keep(vertex);
    }

    @Override
    public CompletableFuture<Void> beforeDrain() {
        return leftLists.beforeDrain();
    }

    /** A checkpoint or savepoint of the job is complete. */
    @Override
    public void onCheckpointCompleted(long checkpoint) {
        recoveries.onCheckpointCompleted(checkpoint);
        runs().forEach(run -> run.onCheckpointCompleted(checkpoint));
    }

    /** A failover took hold of the vertex: its rescale is over, and maybe another one follows. */
    @Override
    public void interrupted(ElasticVertex vertex, String reason) {
        leftLists.interrupted(vertex);
        for (Rescale rescale : open()) {
            for (RescaleRun run : rescale.running()) {
                if (run.vertex() == vertex) {
                    recoveries.interrupted(rescale, run, reason);
                    job.gate().failedOver(() -> run.interrupted(reason));
                    job.forgetChanges(vertex);
                    if (recoveries.turnsBack(rescale)) {
                        rescale.abort(reason);
                    } else {
                        rescale.failed(reason);
                    }
                    return;
                }
            }
        }
        recoveries.interrupted(vertex);
    }

    @Override
    public void closed() {
        closed = true;
        loads.interrupted();
        JobStatus end = job.scheduler() == null ? null : graph().getState();
        memory.close(end != null && end.isGloballyTerminalState());
        runs().forEach(run -> run.interrupted("the JobMaster stopped"));
        if (end != null && end.isGloballyTerminalState()) {
            folders.jobOver();
        }
    }

    private List<RescaleRun> runs() {
        return open.stream().flatMap(rescale -> rescale.running().stream()).toList();
    }

    private ExecutionGraph graph() {
        return DrrsSchedulerAccess.executionGraph(job.scheduler());
    }
}
