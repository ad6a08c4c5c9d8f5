package dev.drrs.runtime.run;

import dev.drrs.protocol.MigrationEffects;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.message.Aligned;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.FetchRest;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Reroute;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Together;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.message.Untrack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * What a migration wants done, as messages to owners and predecessors: what it wants of one of them
 * in one turn is one message. Main thread.
 */
final class MigrationMessages implements MigrationEffects {

    private final RunScope scope;
    private final Turns turns;
    private final Runnable round;
    private final Runnable finished;

    /** Of this turn, in the order of the first to each. */
    private final Map<Execution, List<OperatorEvent>> waiting = new LinkedHashMap<>();

    MigrationMessages(RunScope scope, Turns turns, Runnable round, Runnable finished) {
        this.scope = scope;
        this.turns = turns;
        this.round = round;
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
    public void ready(Subscale subscale) {
        turns.ready(subscale.id());
    }

    @Override
    public void untrack(Subscale subscale) {
        turns.dropped(subscale.id());
        toOldOwner(subscale, new Untrack(subscale.id()));
    }

    @Override
    public void start(Subscale subscale) {
        turns.started(subscale.id());
        toOldOwner(subscale, new Start(subscale.id()));
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
    public void fetchRest(Subscale subscale) {
        toNewOwner(subscale, new FetchRest(subscale.id()));
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
    public void nextRound(long millis) {
        scope.after(millis, round);
    }

    @Override
    public void turnOver() {
        waiting.forEach((task, events) -> scope.messenger().send(task, Together.of(events)));
        waiting.clear();
    }

    @Override
    public void finished(boolean aborted) {
        finished.run();
    }

    private void toNewOwner(Subscale subscale, OperatorEvent event) {
        add(scope.neighbours().execution(subscale.newOwner()), event);
    }

    private void toOldOwner(Subscale subscale, OperatorEvent event) {
        add(scope.neighbours().execution(subscale.oldOwner()), event);
    }

    private void add(Execution task, OperatorEvent event) {
        waiting.computeIfAbsent(task, x -> new ArrayList<>()).add(event);
    }
}
