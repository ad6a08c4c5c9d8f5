package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.message.EndRescale;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.RescaleEnded;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.executiongraph.Execution;

/**
 * Tells the owners that no subscale follows, and all new subtasks: one that has had none would keep
 * its event time back, and with it that of its consumers, for ever. The exchanges close while all
 * owners run: a task that ended before would break those of the others. So predecessors are let go
 * when all have been closed. Main thread.
 */
final class OwnersEnd implements Step {

    private final RunScope scope;
    private final Deployment deployment;
    private final Exchanges exchanges;
    private final BroadcastPause broadcast;
    private final RunFigures figures;
    private final RunLimits limits;
    private final Set<Integer> toEnd = new TreeSet<>();

    OwnersEnd(
            RunScope scope,
            Deployment deployment,
            Exchanges exchanges,
            BroadcastPause broadcast,
            RunFigures figures,
            RunLimits limits) {
        this.scope = scope;
        this.deployment = deployment;
        this.exchanges = exchanges;
        this.broadcast = broadcast;
        this.figures = figures;
        this.limits = limits;
    }

    @Override
    public Phase phase() {
        return Phase.RETIRING;
    }

    /** There is nobody to tell unless subtasks have been deployed or exchanges opened. */
    @Override
    public boolean isPartOf(Course course) {
        return true;
    }

    @Override
    public void hear(Handlers<Execution, RuntimeException> events) {
        events.on(RescaleEnded.class, (task, report) -> onEnded(report));
    }

    @Override
    public void begin() {
        if (scope.steps().course() != Course.INPUTS_ENDED) { // they go on with the end of it all
            broadcast.end(true);
        }
        toEnd.addAll(exchanges.owners());
        if (deployment.isDeployed()) {
            toEnd.addAll(scope.fresh());
        }
        if (toEnd.isEmpty()) {
            done();
            return;
        }
        scope.after(
                scope.option(DrrsOptions.RETIREMENT_TIMEOUT),
                () -> {
                    if (scope.steps().isAt(this)) {
                        limits.failIfStuck();
                    }
                });
        for (int subtask : toEnd) {
            scope.messenger()
                    .send(scope.neighbours().execution(subtask), new EndRescale(scope.number()));
        }
    }

    private void onEnded(RescaleEnded report) {
        figures.add(report);
        if (toEnd.remove(report.subtask()) && toEnd.isEmpty() && scope.steps().isAt(this)) {
            done();
        }
    }

    /** Nothing that is left to do waits for records. */
    private void done() {
        if (scope.steps().course() != Course.INPUTS_ENDED) {
            scope.predecessors().releaseAll();
        }
        scope.steps().done(this);
    }
}
