package dev.drrs.runtime.run;

import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Reroute;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** What a migration wants done, as messages to owners and predecessors. Main thread. */
final class MigrationMessages extends TurnMessages<Execution> {

    private final RunScope scope;
    private final Turns turns;
    private final Runnable round;
    private final Runnable finished;

    MigrationMessages(RunScope scope, Turns turns, Runnable round, Runnable finished) {
        this.scope = scope;
        this.turns = turns;
        this.round = round;
        this.finished = finished;
    }

    @Override
    Execution owner(int subtask) {
        return scope.neighbours().execution(subtask);
    }

    @Override
    void send(Execution task, OperatorEvent message) {
        scope.messenger().send(task, message);
    }

    @Override
    public void ready(Subscale subscale) {
        turns.ready(subscale.id());
    }

    @Override
    public void untrack(Subscale subscale) {
        turns.dropped(subscale.id());
        super.untrack(subscale);
    }

    @Override
    public void start(Subscale subscale) {
        turns.started(subscale.id());
        super.start(subscale);
    }

    @Override
    public void reroute(Subscale subscale) {
        scope.neighbours()
                .dataSets(false)
                .forEach(
                        (predecessor, ids) ->
                                add(predecessor, new Reroute(Move.of(subscale), ids)));
    }

    @Override
    public void placementChanged(Subscale subscale) {
        scope.vertex().place(subscale.keyGroups(), subscale.newOwner());
    }

    @Override
    public void nextRound(long millis) {
        scope.after(millis, round);
    }

    @Override
    public void finished(boolean aborted) {
        finished.run();
    }
}
