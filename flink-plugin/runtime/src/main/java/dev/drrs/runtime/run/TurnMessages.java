package dev.drrs.runtime.run;

import dev.drrs.protocol.MigrationEffects;
import dev.drrs.protocol.Subscale;
import dev.drrs.runtime.message.Aligned;
import dev.drrs.runtime.message.DropSubscale;
import dev.drrs.runtime.message.FetchRest;
import dev.drrs.runtime.message.Move;
import dev.drrs.runtime.message.Register;
import dev.drrs.runtime.message.Start;
import dev.drrs.runtime.message.Together;
import dev.drrs.runtime.message.Track;
import dev.drrs.runtime.message.Untrack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * What a migration wants of owners, as messages: what it wants of one task in one turn is one
 * message, and what may wait goes with the next one. In the migration's thread.
 *
 * @param <T> a task
 */
abstract class TurnMessages<T> implements MigrationEffects {

    /** Of this turn, in the order of the first to each. */
    private final Map<T, List<OperatorEvent>> waiting = new LinkedHashMap<>();

    /** Of earlier turns; it has to come before anything else to the same task. */
    private final Map<T, List<OperatorEvent>> later = new LinkedHashMap<>();

    abstract T owner(int subtask);

    abstract void send(T task, OperatorEvent message);

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
    public void fetchRest(Subscale subscale) {
        toNewOwner(subscale, new FetchRest(subscale.id()));
    }

    @Override
    public void dropAtOldOwner(Subscale subscale) {
        later.computeIfAbsent(owner(subscale.oldOwner()), x -> new ArrayList<>())
                .add(new DropSubscale(subscale.id()));
    }

    @Override
    public void turnOver(boolean all) {
        if (all) {
            later.forEach((task, events) -> waiting.computeIfAbsent(task, x -> new ArrayList<>()));
        }
        waiting.forEach(
                (task, events) -> {
                    List<OperatorEvent> before = later.remove(task);
                    if (before != null) {
                        events.addAll(0, before);
                    }
                    send(task, Together.of(events));
                });
        waiting.clear();
    }

    private void toNewOwner(Subscale subscale, OperatorEvent event) {
        add(owner(subscale.newOwner()), event);
    }

    private void toOldOwner(Subscale subscale, OperatorEvent event) {
        add(owner(subscale.oldOwner()), event);
    }

    /** To go with what else there is for the task when the turn is over. */
    final void add(T task, OperatorEvent event) {
        waiting.computeIfAbsent(task, x -> new ArrayList<>()).add(event);
    }
}
