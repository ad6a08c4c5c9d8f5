package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Balance;
import dev.drrs.protocol.Migration;
import dev.drrs.protocol.MigrationEffects;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.message.ActiveSubtasksKnown;
import dev.drrs.runtime.message.Aligned;
import dev.drrs.runtime.message.BroadcastStateCopied;
import dev.drrs.runtime.message.BroadcastStopped;
import dev.drrs.runtime.message.BuffersReserved;
import dev.drrs.runtime.message.ChannelClosed;
import dev.drrs.runtime.message.ChannelOpened;
import dev.drrs.runtime.message.ConsumerAligned;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.EndOfDataSent;
import dev.drrs.runtime.message.EndOfDataWaits;
import dev.drrs.runtime.message.EndRescale;
import dev.drrs.runtime.message.GateReported;
import dev.drrs.runtime.message.HeapReported;
import dev.drrs.runtime.message.KeysChecked;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Moved;
import dev.drrs.runtime.message.OpenReader;
import dev.drrs.runtime.message.OpenWriter;
import dev.drrs.runtime.message.PeerLink;
import dev.drrs.runtime.message.ReaderReady;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Reroute;
import dev.drrs.runtime.message.RescaleBegun;
import dev.drrs.runtime.message.RescaleEnded;
import dev.drrs.runtime.message.ResultsMayBegin;
import dev.drrs.runtime.message.ResultsPassed;
import dev.drrs.runtime.message.RetirementPrepared;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.SubpartitionOpened;
import dev.drrs.runtime.message.SubpartitionReset;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.message.Untrack;
import dev.drrs.runtime.message.WriterReady;
import dev.drrs.runtime.message.WrittenOut;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.TaskNotRunningException;
import org.apache.flink.runtime.scheduler.DrrsSchedulerAccess;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rescale from its acceptance to its end: provisions subtasks, connects old and new owners,
 * lets the {@link Migration} move the key groups, cleans up. Main thread.
 */
final class RescaleRun implements MigrationEffects, Provisioning.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(RescaleRun.class);

    private static final String INPUT_ENDED =
            "all inputs of the operator have ended, the job is about to finish";

    /** What was asked for. */
    record Order(
            String requestId, int parallelism, StrategyChoice strategy, String cause, Plan plan) {}

    private final ElasticJob job;
    private final ElasticVertex vertex;
    private final Order order;
    private final int number;
    private final Consumer<RescaleRun> ended;
    private final RescaleLifecycle lifecycle = new RescaleLifecycle(System::currentTimeMillis);
    private final RescaleFigures figures;
    private final int[] startPlacement;
    private final int fromParallelism;
    private final int minKeyGroups;
    private final RunSections sections;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private final Predecessors predecessors;
    private final ActiveCount activeCount;
    private final KeyCheck keyCheck;
    private final HeapCheck heapCheck;
    private final BufferCheck buffers;
    private final BroadcastPause broadcast;
    private final Provisioning provisioning;
    private final Set<PeerLink> writersToOpen = new HashSet<>();
    private final Set<PeerLink> readersToOpen = new HashSet<>();
    private final Set<Integer> toEnd = new TreeSet<>();
    private final List<Subscale> subscales;

    private final Migration migration;
    private Retirement retirement;
    private String abortReason;
    private boolean inputEnds;

    /** The owners were told that no subscale follows. */
    private boolean ownersEnd;

    RescaleRun(
            ElasticJob job,
            ElasticVertex vertex,
            Order order,
            int number,
            SubscaleIds ids,
            Consumer<RescaleRun> ended) {
        this.job = job;
        this.vertex = vertex;
        this.order = order;
        this.number = number;
        this.ended = ended;
        this.startPlacement = vertex.placement();
        this.fromParallelism = vertex.activeCount();
        this.neighbours =
                new Neighbours(job, vertex, DrrsSchedulerAccess.executionGraph(job.scheduler()));
        this.messenger = new TaskMessenger(job, this::lost);
        this.predecessors = new Predecessors(job, neighbours, messenger, number);
        StaleBarriers stale = new StaleBarriers(job.gate(), neighbours, messenger);
        this.sections = new RunSections(job.gate(), stale::cancelAtReaders);
        this.subscales = order.plan().subscales(ids::next);
        Set<Integer> owners = order.plan().owners();
        List<Integer> fresh = owners.stream().filter(i -> !vertex.isActive(i)).toList();
        this.activeCount = new ActiveCount(messenger);
        boolean sizes = job.configuration().get(DrrsOptions.CHECK_HEAP);
        this.keyCheck = new KeyCheck(messenger, number, sizes);
        this.heapCheck = new HeapCheck(neighbours, messenger, number);
        this.buffers = new BufferCheck(job, neighbours, number, fresh, subscales);
        this.broadcast =
                new BroadcastPause(
                        job, vertex, sections, neighbours, predecessors, messenger, number, fresh);
        this.provisioning =
                new Provisioning(
                        job,
                        vertex,
                        neighbours,
                        predecessors,
                        messenger,
                        activeCount,
                        fresh,
                        buffers,
                        broadcast,
                        stale,
                        this);
        this.minKeyGroups = Balance.fewestMoves(vertex.placement(), owners);
        this.figures = new RescaleFigures();
        this.migration =
                new Migration(
                        vertex.placement(),
                        subscales,
                        order.strategy().policies(),
                        neighbours.consumers().size(),
                        neighbours.consumers().size() + job.followers(vertex).size(),
                        job.hasUnalignedCheckpoints(),
                        ids::next,
                        broadcast,
                        this);
    }

    ElasticVertex vertex() {
        return vertex;
    }

    /** Distinguishes it from all other rescales of the JobMaster's life. */
    int number() {
        return number;
    }

    Order order() {
        return order;
    }

    RescaleLifecycle lifecycle() {
        return lifecycle;
    }

    RescaleFigures figures() {
        return figures;
    }

    int fromParallelism() {
        return fromParallelism;
    }

    /** Key group to subtask before anything moved. */
    int[] startPlacement() {
        return startPlacement;
    }

    /** Fewest key groups that have to move for balance by count among the plan's subtasks. */
    int minKeyGroups() {
        return minKeyGroups;
    }

    /** Epoch milliseconds, or -1 before key groups move. */
    long migratingSince() {
        return lifecycle.history().stream()
                .filter(entered -> entered.phase() == Phase.MIGRATING)
                .mapToLong(RescaleLifecycle.Entered::at)
                .findFirst()
                .orElse(-1);
    }

    Migration.Progress progress() {
        return migration.progress();
    }

    /** Whether it was given up: on its way back, or back. */
    boolean isAborted() {
        return abortReason != null;
    }

    boolean isOver() {
        return lifecycle.phase().isTerminal();
    }

    // ---- phases ---------------------------------------------------------------------------------

    void begin() {
        LOG.info(
                "Rescale {} of {}: {} -> {} subtasks, {} subscales.",
                order.requestId(),
                vertex.name(),
                fromParallelism,
                order.parallelism(),
                subscales.size());
        enter(Phase.PROVISIONING, null);
        timeout(DrrsOptions.PROVISIONING_TIMEOUT, Phase.PROVISIONING);
        keyCheck.begin(neighbours.active(), this::keysChecked);
    }

    private void keysChecked(String fault) {
        if (isOver()) {
            return;
        }
        if (fault != null) {
            provisioning.giveUp("Operator " + vertex.name() + " cannot be rescaled: " + fault);
        } else {
            provisioning.begin();
        }
    }

    @Override
    public void slotsReady() {
        broadcast.begin(this::broadcastStopped);
    }

    private void broadcastStopped(String fault) {
        if (fault != null) {
            provisioning.giveUp(fault);
        } else {
            provisioning.deployInTurn();
        }
    }

    @Override
    public void provisioned() {
        if (isOver()) {
            return;
        }
        if (abortReason == null && job.configuration().get(DrrsOptions.CHECK_HEAP)) {
            heapCheck.begin(subscales, keyCheck.heapBytes(), this::heapChecked);
        } else {
            connect();
        }
    }

    private void heapChecked(String fault) {
        if (isOver()) {
            return;
        }
        if (fault != null && abortReason == null) {
            abortReason = fault;
            enter(Phase.ABORTING, fault);
        }
        connect();
    }

    /** Opens the exchanges; a rescale that was given up meanwhile goes back from here. */
    private void connect() {
        if (inputEnds) {
            end(Phase.ABORTED, abortReason);
            return;
        }
        if (abortReason != null) {
            broadcast.end(true);
            predecessors.releaseAll();
            retire();
            return;
        }
        predecessors.begin(this::openExchanges);
    }

    private void openExchanges() {
        if (isOver()) {
            return;
        }
        if (inputEnds || abortReason != null) { // since the predecessors were asked
            connect();
            return;
        }
        if (neighbours.predecessors().isEmpty()) {
            abortReason = INPUT_ENDED;
            enter(Phase.ABORTING, INPUT_ENDED);
            connect();
            return;
        }
        messenger.send(neighbours.active(), order.strategy().configure());
        for (Subscale subscale : subscales) {
            PeerLink link = new PeerLink(number, subscale.oldOwner(), subscale.newOwner());
            writersToOpen.add(link);
            writersToOpen.add(link.back());
            toEnd.add(subscale.oldOwner());
            toEnd.add(subscale.newOwner());
        }
        if (!subscales.isEmpty() && job.configuration().get(DrrsOptions.EXCHANGE_PROBE) > 0) {
            Subscale first = subscales.get(0);
            writersToOpen.add(new PeerLink(number, first.oldOwner(), first.newOwner(), true));
        }
        readersToOpen.addAll(writersToOpen);
        for (PeerLink link : List.copyOf(writersToOpen)) {
            messenger.send(neighbours.execution(link.from()), new OpenWriter(link));
        }
        if (writersToOpen.isEmpty()) {
            broadcast.awaitAll(this::migrate);
        }
    }

    @Override
    public void provisioningFailed(String reason) {
        if (isOver()) {
            return;
        }
        if (lifecycle.phase() != Phase.ABORTING) {
            enter(Phase.ABORTING, reason);
        }
        end(Phase.ABORTED, reason);
    }

    private void onWriterReady(WriterReady ready) {
        if (writersToOpen.remove(ready.link())) {
            messenger.send(
                    neighbours.execution(ready.link().to()),
                    new OpenReader(ready.link(), ready.address()));
        }
    }

    private void onReaderReady(ReaderReady ready) {
        if (readersToOpen.remove(ready.link()) && readersToOpen.isEmpty()) {
            broadcast.awaitAll(this::migrate);
        }
    }

    private void migrate() {
        if (inputEnds) {
            endOwners();
        } else if (abortReason != null) {
            finished(true);
        } else {
            enter(Phase.MIGRATING, null);
            timeout(DrrsOptions.MIGRATION_TIMEOUT, Phase.MIGRATING);
            if (predecessors.anyWaits()) {
                migration.pause();
            }
            migration.begin();
            letEndIfQuiet();
        }
    }

    @Override
    public void finished(boolean aborted) {
        if (isOver() || inputEnds) {
            return;
        }
        broadcast.end(true);
        predecessors.releaseAll();
        if (!aborted) {
            enter(Phase.RETIRING, null);
        }
        endOwners();
    }

    /**
     * The exchanges close while all owners run: a task that ended before would break those of the
     * others.
     */
    private void endOwners() {
        ownersEnd = true;
        after(
                job.configuration().get(DrrsOptions.RETIREMENT_TIMEOUT),
                () -> {
                    if (!toEnd.isEmpty()) {
                        failIfStuck();
                    }
                });
        if (toEnd.isEmpty()) {
            ownersEnded();
        }
        for (int subtask : toEnd) {
            messenger.send(neighbours.execution(subtask), new EndRescale(number));
        }
    }

    private void onEnded(RescaleEnded report) {
        figures.add(report);
        if (toEnd.remove(report.subtask()) && toEnd.isEmpty() && !isOver()) {
            ownersEnded();
        }
    }

    private void ownersEnded() {
        if (inputEnds) {
            end(Phase.ABORTED, abortReason);
        } else {
            retire();
        }
    }

    /** Subtasks without key groups end: those that were emptied, or after an abort the new ones. */
    private void retire() {
        retirement =
                new Retirement(
                        job,
                        vertex,
                        sections,
                        neighbours,
                        messenger,
                        activeCount,
                        predecessors,
                        number,
                        vertex.emptySubtasks(),
                        this::close);
        retirement.begin();
    }

    void onRetired(Execution execution) {
        retirement.onFinished(execution);
    }

    void onCheckpointCompleted(long checkpoint) {
        if (retirement != null) {
            retirement.onCheckpointCompleted(checkpoint);
        }
    }

    /**
     * @param stay why subtasks without key groups did not end, or null
     */
    private void close(String stay) {
        if (isOver()) {
            return;
        }
        if (lifecycle.phase() == Phase.ABORTING) {
            end(Phase.ABORTED, stay == null ? abortReason : abortReason + "; " + stay);
        } else {
            end(Phase.COMPLETED, stay);
            job.gate().triggerCheckpoint();
        }
    }

    private void end(Phase phase, String reason) {
        enter(phase, reason);
        buffers.end();
        if (phase == Phase.FAILED) {
            broadcast.interrupted();
        } else { // a failover makes new tasks
            broadcast.end(provisioning.isDeployed());
            predecessors.releaseAll();
        }
        sections.end();
        LOG.info("Rescale {} of {}: {}.", order.requestId(), vertex.name(), phase);
        ended.accept(this);
    }

    private void enter(Phase phase, String reason) {
        lifecycle.enter(phase, reason);
    }

    // ---- withdrawal and failure -----------------------------------------------------------------

    boolean isAbortable() {
        return lifecycle.phase().isAbortable() && !broadcast.isOver();
    }

    /** Back to the old placement; what has started is finished and moved back. */
    void abort(String reason) {
        if (!isAbortable()) {
            return;
        }
        boolean migrating = lifecycle.phase() == Phase.MIGRATING;
        after(
                job.configuration()
                        .get(
                                migrating
                                        ? DrrsOptions.MIGRATION_TIMEOUT
                                        : DrrsOptions.PROVISIONING_TIMEOUT),
                this::failIfStuck);
        abortReason = reason;
        enter(Phase.ABORTING, reason);
        if (migrating) {
            migration.abort();
        } else {
            provisioning.giveUp(reason);
        }
    }

    /** The job goes through a failover: its placement comes from the checkpoint. */
    void interrupted(String reason) {
        if (!isOver()) {
            provisioning.interrupted();
            end(Phase.FAILED, reason);
        }
    }

    /**
     * A predecessor has come to the end of its data and waits to say so. It is let go between two
     * subscales, and the rescale goes on without it.
     */
    private void onEndWaits(Execution predecessor) {
        predecessors.onEndWaits(predecessor);
        if (!isOver() && retirement != null && retirement.isClosing()) {
            return; // until that is over
        }
        if (isOver() || ownersEnd || retirement != null) {
            predecessors.release(() -> {}); // nothing that is left to do waits for records
        } else if (predecessors.allWait()) {
            inputEnds();
        } else if (hasMigrated()) {
            migration.pause();
            letEndIfQuiet();
        } // else before key groups move
    }

    private void letEndIfQuiet() {
        if (predecessors.anyWaits() && !inputEnds && migration.isQuiet()) {
            predecessors.release(
                    () -> {
                        if (!predecessors.anyWaits()) {
                            migration.resume();
                        }
                    });
        }
    }

    private boolean hasMigrated() {
        return migratingSince() >= 0;
    }

    /**
     * All predecessors have come to the end of their data and wait: finish what has started, so
     * that they may go on.
     */
    private void inputEnds() {
        if (abortReason == null) {
            abortReason = INPUT_ENDED;
            enter(Phase.ABORTING, INPUT_ENDED);
        }
        inputEnds = true;
        after(job.configuration().get(DrrsOptions.MIGRATION_TIMEOUT), this::failIfStuck);
        if (hasMigrated()) {
            migration.stop();
            endIfInputWaits();
        } else { // or, once deployed, as soon as the subtasks are there
            provisioning.giveUp(INPUT_ENDED);
        }
    }

    /**
     * Subscales that are settled may wait for event time to join, also for that of the broadcast
     * inputs. From here on key groups cannot be moved back.
     */
    private void goOnIfSettled() {
        if (abortReason == null && migration.isSettled()) {
            broadcast.end(true);
        }
    }

    private void endIfInputWaits() {
        if (inputEnds && !isOver() && !ownersEnd && migration.isStill()) {
            endOwners();
        }
    }

    private void lost(Execution task, Throwable failure) {
        boolean ended =
                ExceptionUtils.findThrowable(failure, TaskNotRunningException.class).isPresent()
                        && predecessors.onGone(task);
        if (!ended && !isOver()) { // else the news of its end is still under way
            LOG.warn(
                    "Task {} cannot be reached, it is taken for lost.",
                    task.getVertexWithAttempt(),
                    failure);
            task.fail(failure);
        }
    }

    private void timeout(ConfigOption<Duration> option, Phase phase) {
        Duration limit = job.configuration().get(option);
        after(
                limit,
                () -> {
                    if (lifecycle.phase() == phase) {
                        abort(describe(phase, limit, option.key()));
                    }
                });
    }

    private void after(Duration limit, Runnable action) {
        job.mainThread().schedule(action, limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * A section that does not end would hold up all checkpoints: an ordinary failover goes back to
     * the last one.
     */
    private void failIfStuck() {
        if (!isOver() && retirement == null) { // that has a bound of its own
            neighbours
                    .active()
                    .get(0)
                    .fail(
                            new RescaleFailedException(
                                    "Rescale "
                                            + order.requestId()
                                            + " does not come to its end: "
                                            + (abortReason == null ? "it retires" : abortReason)));
        }
    }

    private String describe(Phase phase, Duration limit, String option) {
        String what = phase + " took longer than " + limit.toMillis() + " ms (" + option + ")";
        Set<ExecutionVertex> silent = provisioning.silent();
        if (silent.isEmpty()) {
            return what;
        }
        Execution first = silent.iterator().next().getCurrentExecutionAttempt();
        return what
                + "; the plug-in does not answer on TaskManager "
                + first.getAssignedResourceLocation().getResourceID();
    }

    // ---- what tasks say -------------------------------------------------------------------------

    void onTaskState(Execution execution, ExecutionState state) {
        provisioning.onTaskState(execution, state);
    }

    /** A task has ended by itself. */
    void onFinished(Execution task) {
        predecessors.onGone(task);
        buffers.onGone(task);
    }

    void onHello(Execution execution) {
        provisioning.onHello(execution);
    }

    void onEvent(Execution task, OperatorEvent event) {
        if (event instanceof ChannelOpened opened) {
            provisioning.onChannelOpened(task, opened);
        } else if (event instanceof SubpartitionOpened opened) {
            provisioning.onSubpartitionOpened(opened);
        } else if (event instanceof ActiveSubtasksKnown known) {
            activeCount.onKnown(task, known);
        } else if (event instanceof ChannelClosed closed) {
            retirement.onChannelClosed(task, closed);
        } else if (event instanceof RetirementPrepared) {
            retirement.onPrepared(task);
        } else if (event instanceof SubpartitionReset reset) {
            retirement.onSubpartitionReset(reset);
        } else if (event instanceof WrittenOut) {
            retirement.onWrittenOut(task);
        } else if (event instanceof RescaleBegun begun) {
            predecessors.onBegun(task, begun);
        } else if (event instanceof EndOfDataWaits) {
            onEndWaits(task);
        } else if (event instanceof EndOfDataSent) {
            predecessors.onEndSent(task);
        } else if (event instanceof KeysChecked checked) {
            keyCheck.onChecked(task, checked);
        } else if (event instanceof BuffersReserved reserved) {
            buffers.onReserved(task, reserved);
        } else if (event instanceof HeapReported reported) {
            heapCheck.onReported(task, reported);
        } else if (event instanceof BroadcastStopped stopped) {
            broadcast.onStopped(task, stopped);
        } else if (event instanceof BroadcastStateCopied copied) {
            broadcast.onCopied(copied);
        } else if (event instanceof WriterReady ready) {
            onWriterReady(ready);
        } else if (event instanceof ReaderReady ready) {
            onReaderReady(ready);
        } else if (event instanceof ConsumerAligned aligned) {
            migration.onConsumerAligned(aligned.subscale(), aligned.clock());
        } else if (event instanceof ResultsPassed results) {
            onResultsPassed(task, results);
            goOnIfSettled();
            endIfInputWaits();
        } else if (event instanceof GateReported reported) {
            migration.onReport(reported.report());
            goOnIfSettled();
            letEndIfQuiet();
            endIfInputWaits();
        } else if (event instanceof Moved moved) {
            figures.add(moved);
        } else if (event instanceof RescaleEnded report) {
            onEnded(report);
        } else {
            throw new IllegalStateException(
                    "unexpected event of task " + task.getVertexWithAttempt() + ": " + event);
        }
    }

    private void onResultsPassed(Execution task, ResultsPassed results) {
        for (int id : results.subscales()) {
            Subscale subscale = migration.onResultsPassed(id);
            if (subscale != null && neighbours.isInGroup(task.getVertex().getJobvertexId())) {
                messenger.send(
                        neighbours.sameMember(task, subscale.newOwner()), new ResultsMayBegin(id));
            }
        }
    }

    // ---- what the migration does ----------------------------------------------------------------

    @Override
    public void register(Subscale subscale) {
        toNewOwner(subscale, new Register(Move.of(subscale)));
    }

    @Override
    public void aligned(Subscale subscale, long consumerClock) {
        toNewOwner(subscale, new Aligned(subscale.id(), consumerClock));
    }

    @Override
    public void track(Subscale subscale, long promised) {
        toOldOwner(subscale, new Track(Move.of(subscale), promised));
    }

    @Override
    public void untrack(Subscale subscale) {
        toOldOwner(subscale, new Untrack(subscale.id()));
    }

    @Override
    public void start(Subscale subscale) {
        toOldOwner(subscale, new Start(subscale.id()));
    }

    @Override
    public void reroute(Subscale subscale) {
        Map<Execution, List<String>> dataSets = new HashMap<>();
        for (Neighbours.Input input : neighbours.inputs()) {
            if (input.broadcast()) {
                continue;
            }
            for (Execution predecessor : input.predecessors()) {
                dataSets.merge(predecessor, List.of(input.dataSetId()), RescaleRun::joined);
            }
        }
        dataSets.forEach(
                (predecessor, ids) ->
                        messenger.send(predecessor, new Reroute(Move.of(subscale), ids)));
    }

    static List<String> joined(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    @Override
    public void placementChanged(Subscale subscale) {
        vertex.place(subscale.keyGroups(), subscale.newOwner());
    }

    @Override
    public void dropAtOldOwner(Subscale subscale) {
        toOldOwner(subscale, new DropSubscale(subscale.id()));
    }

    private void toNewOwner(Subscale subscale, OperatorEvent event) {
        messenger.send(neighbours.execution(subscale.newOwner()), event);
    }

    private void toOldOwner(Subscale subscale, OperatorEvent event) {
        messenger.send(neighbours.execution(subscale.oldOwner()), event);
    }
}
