package dev.drrs.runtime.run;

import dev.drrs.protocol.Balance;
import dev.drrs.protocol.Migration;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.rehearsal.Rehearsals;
import java.util.function.Consumer;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rescale from its acceptance to its end, as others see it: its {@link RescaleSteps}, of which
 * the {@link StepSequence} runs one at a time, and what keeps them within their limits. Main
 * thread.
 */
public final class RescaleRun {

    private static final Logger LOG = LoggerFactory.getLogger(RescaleRun.class);

    /** What was asked for. */
    public record Order(
            String requestId, int parallelism, StrategyChoice strategy, String cause, Plan plan) {}

    private final Order order;
    private final Consumer<RescaleRun> ended;
    private final RescaleLifecycle lifecycle = new RescaleLifecycle(System::currentTimeMillis);
    private final RunFigures figures = new RunFigures();
    private final int[] startPlacement;
    private final int fromParallelism;
    private final int minKeyGroups;
    private final StepSequence steps = new StepSequence(lifecycle, this::entered, this::ended);
    private final LostTasks<Execution> lost;
    private final RunScope scope;
    private final RescaleSteps parts;
    private long heard;

    /**
     * @param folder of its files in shared storage, or null
     */
    public RescaleRun(
            ElasticJob job,
            ElasticVertex vertex,
            Order order,
            int number,
            SubscaleIds ids,
            String folder,
            Consumer<RescaleRun> ended) {
        this.order = order;
        this.ended = ended;
        this.startPlacement = vertex.placement();
        this.fromParallelism = vertex.activeCount();
        this.minKeyGroups = Balance.fewestMoves(startPlacement, order.plan().owners());
        this.lost = new LostTasks<>(new RunTasks(job, this::isOver, this::isAnswer));
        this.scope = RunScope.of(job, vertex, number, order.plan(), ids, steps, lost::add);
        this.parts = new RescaleSteps(scope, order, lifecycle, ids, figures, folder, this::abort);
    }

    public ElasticVertex vertex() {
        return scope.vertex();
    }

    /** Distinguishes it from all other rescales of the JobMaster's life. */
    public int number() {
        return scope.number();
    }

    Order order() {
        return order;
    }

    public RescaleLifecycle lifecycle() {
        return lifecycle;
    }

    public RunFigures figures() {
        return figures;
    }

    /** How many went between the JobManager and tasks, both ways. */
    public long messages() {
        return scope.messenger().sent() + heard;
    }

    public int fromParallelism() {
        return fromParallelism;
    }

    /** Key group to subtask before anything moved. */
    public int[] startPlacement() {
        return startPlacement;
    }

    /** Fewest key groups that have to move for balance by count among the plan's subtasks. */
    public int minKeyGroups() {
        return minKeyGroups;
    }

    /** Epoch milliseconds, or -1 before key groups move. */
    public long migratingSince() {
        return lifecycle.history().stream()
                .filter(entered -> entered.phase() == Phase.MIGRATING)
                .mapToLong(RescaleLifecycle.Entered::at)
                .findFirst()
                .orElse(-1);
    }

    public Migration.Progress progress() {
        return parts.migration().progress();
    }

    /** Whether it was given up: on its way back, or back. */
    public boolean isAborted() {
        return steps.course() != Course.FORWARD;
    }

    public boolean isOver() {
        return steps.isOver();
    }

    public void begin() {
        LOG.info(
                "Rescale {} of {}: {} -> {} subtasks, {} subscales.",
                order.requestId(),
                scope.vertex().name(),
                fromParallelism,
                order.parallelism(),
                scope.subscales().size());
        Rehearsals.OF_COORDINATOR.inEarnest();
        steps.begin(parts.inOrder());
    }

    private void entered(Phase phase) {
        parts.limits().begin(phase);
    }

    private void ended(Phase phase) {
        parts.end(phase);
        LOG.info("Rescale {} of {}: {}.", order.requestId(), scope.vertex().name(), phase);
        ended.accept(this);
        if (phase == Phase.COMPLETED) {
            scope.job().gate().triggerCheckpointWhenCalm();
        }
    }

    public boolean isAbortable() {
        return lifecycle.phase().isAbortable() && !parts.broadcast().isOver();
    }

    /** Back to the old placement; what has started is finished and moved back. */
    public void abort(String reason) {
        if (isAbortable()) {
            parts.limits().beginToGiveUp();
            steps.giveUp(reason);
        }
    }

    /** The job goes through a failover: its placement comes from the checkpoint. */
    public void interrupted(String reason) {
        steps.interrupt(reason);
    }

    public void onEvent(Execution task, OperatorEvent event) {
        heard++;
        parts.onEvent(task, event);
    }

    public void onTaskState(Execution execution, ExecutionState state) {
        parts.deployment().onTaskState(execution, state);
    }

    public void onHello(Execution execution) {
        parts.deployment().onHello(execution);
    }

    private boolean isAnswer(Execution task) {
        return scope.predecessors().onGone(task);
    }

    /** Whether its new subtasks are there, from then on for good. */
    public boolean isDeployed() {
        return parts.deployment().isDeployed();
    }

    /** A task has ended by itself. */
    public void onFinished(Execution task) {
        scope.predecessors().onGone(task);
        parts.buffers().onGone(task);
    }

    public void onRetired(Execution execution) {
        parts.retirement().onFinished(execution);
    }

    public void onCheckpointCompleted(long checkpoint) {
        parts.retirement().onCheckpointCompleted(checkpoint);
    }
}
