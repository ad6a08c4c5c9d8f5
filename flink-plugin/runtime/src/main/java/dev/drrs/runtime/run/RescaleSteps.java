package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.section.RunSections;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The steps of one rescale and what they share, put together, and who hears what tasks say. The
 * steps, in their order:
 *
 * <ol>
 *   <li>{@link KeyCheck}: may the keys be moved?
 *   <li>{@link SlotRequest}, {@link BufferCheck}: what new subtasks take is there
 *   <li>{@link BroadcastStop}: broadcast inputs stand still
 *   <li>{@link Deployment}: new subtasks work. Until they are deployed nothing has been changed,
 *       and a rescale that is given up is over at once; later it goes on with what remains of its
 *       way back.
 *   <li>{@link RehearsalWait}: code is loaded and compiled where new subtasks are
 *   <li>{@link HeapCheck}: is there room for the key groups?
 *   <li>{@link Exchanges} between owners open
 *   <li>{@link KeyGroupMigration}: key groups move, or back
 *   <li>{@link OwnersEnd}: exchanges close, on every {@link Course}
 *   <li>{@link Retirement}: subtasks without key groups end, also on the way back
 * </ol>
 *
 * <p>Who moves key groups or opens a channel asks the predecessors to take part first. Main thread.
 */
final class RescaleSteps {

    static final String INPUT_ENDED =
            "all inputs of the operator have ended, the job is about to finish";

    private final RunScope scope;
    private final Handlers<Execution, RuntimeException> events =
            new Handlers<>(task -> "of task " + task.getVertexWithAttempt());
    private final RunSections sections;
    private final BroadcastPause broadcast;
    private final SlotRequest slots;
    private final BufferCheck buffers;
    private final Deployment deployment;
    private final HeldCheckpoints checkpoints;
    private final KeyGroupMigration migration;
    private final Retirement retirement;
    private final RunLimits limits;
    private final List<Step> inOrder;

    /**
     * @param folder of its files in shared storage, or null
     * @param abort gives the rescale up, for a reason
     */
    RescaleSteps(
            RunScope scope,
            RescaleRun.Order order,
            RescaleLifecycle lifecycle,
            SubscaleIds ids,
            RunFigures figures,
            String folder,
            Consumer<String> abort) {
        this.scope = scope;
        // Sections, from the inside out. The job's gate lets those of all rescales take turns with
        // checkpoints. Around it come those of this rescale, so that they end with it and nobody
        // else's do; before each of them stale barriers are cancelled. Outermost is the broadcast
        // pause: if there is one it is a single section of the rescale, and a section asked of it
        // is part of that and begins at once, as it would wait for its own otherwise. Deployment
        // and migration fall into the pause and ask it. Retirement comes when it is over and asks
        // the rescale.
        StaleBarriers stale =
                new StaleBarriers(scope.job().gate(), scope.neighbours(), scope.messenger());
        this.sections = new RunSections(scope.job().gate(), stale::cancelAtReaders);
        this.broadcast = new BroadcastPause(scope, sections);

        ActiveCount activeCount = new ActiveCount(scope.messenger());
        KeyCheck keyCheck = new KeyCheck(scope);
        this.slots = new SlotRequest(scope);
        this.buffers = new BufferCheck(scope, slots);
        this.deployment = new Deployment(scope, slots, broadcast, stale, activeCount);
        this.limits = new RunLimits(scope, order.requestId(), lifecycle, deployment, abort);
        Exchanges exchanges = new Exchanges(scope, order.strategy().configure(folder), broadcast);
        this.checkpoints = new HeldCheckpoints(scope.job().gate(), figures);
        this.migration =
                new KeyGroupMigration(
                        scope, order.strategy().policies(), ids, broadcast, checkpoints, figures);
        this.retirement = new Retirement(scope, sections, activeCount);
        this.inOrder =
                List.of(
                        keyCheck,
                        slots,
                        buffers,
                        new BroadcastStop(scope.steps(), broadcast),
                        deployment,
                        new RehearsalWait(scope),
                        new HeapCheck(scope, keyCheck, order.strategy().policies().copyAhead()),
                        exchanges,
                        migration,
                        new OwnersEnd(scope, deployment, exchanges, broadcast, figures, limits),
                        retirement);
        inOrder.forEach(step -> step.hear(events));
        scope.predecessors().hear(events, this::onEndWaits);
        activeCount.hear(events);
        broadcast.hear(events);
    }

    void onEvent(Execution task, OperatorEvent event) {
        events.handle(task, event);
    }

    /** Predecessors have come to the end of their data and wait to say so. */
    private void onEndWaits() {
        if (scope.steps().onEndWaits(scope.predecessors().allEnd(), INPUT_ENDED)) {
            limits.beginToEnd();
        }
    }

    List<Step> inOrder() {
        return inOrder;
    }

    RunLimits limits() {
        return limits;
    }

    BufferCheck buffers() {
        return buffers;
    }

    BroadcastPause broadcast() {
        return broadcast;
    }

    Deployment deployment() {
        return deployment;
    }

    KeyGroupMigration migration() {
        return migration;
    }

    Retirement retirement() {
        return retirement;
    }

    /** The rescale is over: what it holds goes back. */
    void end(Phase phase) {
        slots.end();
        buffers.end();
        if (phase == Phase.FAILED) {
            broadcast.interrupted();
        } else { // a failover makes new tasks
            broadcast.end(deployment.isDeployed());
            scope.predecessors().releaseAll();
        }
        sections.end();
        checkpoints.end();
    }
}
