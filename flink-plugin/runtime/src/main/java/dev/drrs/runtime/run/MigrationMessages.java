package dev.drrs.runtime.run;

import dev.drrs.protocol.MigrationEffects;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.message.Aligned;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Reroute;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.message.Untrack;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** What a migration wants done, as messages to owners and predecessors. Main thread. */
final class MigrationMessages implements MigrationEffects {

    private final RunScope scope;
    private final Runnable finished;

    MigrationMessages(RunScope scope, Runnable finished) {
        this.scope = scope;
        this.finished = finished;
    }

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
        scope.neighbours()
                .dataSets(false)
                .forEach(
                        (predecessor, ids) ->
                                scope.messenger()
                                        .send(predecessor, new Reroute(Move.of(subscale), ids)));
    }

    @Override
    public void placementChanged(Subscale subscale) {
        scope.vertex().place(subscale.keyGroups(), subscale.newOwner());
    }

    @Override
    public void dropAtOldOwner(Subscale subscale) {
        toOldOwner(subscale, new DropSubscale(subscale.id()));
    }

    @Override
    public void finished(boolean aborted) {
        finished.run();
    }

    private void toNewOwner(Subscale subscale, OperatorEvent event) {
        scope.messenger().send(scope.neighbours().execution(subscale.newOwner()), event);
    }

    private void toOldOwner(Subscale subscale, OperatorEvent event) {
        scope.messenger().send(scope.neighbours().execution(subscale.oldOwner()), event);
    }
}
