package dev.drrs.runtime.run;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.Neighbours;
import dev.drrs.runtime.job.TaskMessenger;
import dev.drrs.runtime.message.EndOfDataSent;
import dev.drrs.runtime.message.EndOfDataWaits;
import dev.drrs.runtime.message.Handlers;
import dev.drrs.runtime.message.OfRescale;
import dev.drrs.runtime.message.ReleasePredecessor;
import dev.drrs.runtime.message.RescaleBegun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * The predecessors of a vertex in one rescale, and how they come to the end of their data. One that
 * takes part does not say that it has ended before it is let go: the end is the last thing that
 * owners hear of it, so no signal may be expected of it afterwards.
 *
 * <p>A predecessor that waits reads nothing and lets no barrier pass, so nobody may wait for a
 * checkpoint meanwhile. Main thread.
 */
final class Predecessors {

    private final ElasticJob job;
    private final Neighbours neighbours;
    private final TaskMessenger messenger;
    private final int rescale;
    private final IntFunction<OfRescale> question;

    /** Those that have been asked to take part. */
    private final Set<ExecutionAttemptID> known = new HashSet<>();

    /** Those of them that have not answered. */
    private final Map<ExecutionAttemptID, Execution> asked = new HashMap<>();

    /** Those that have come to the end of their data and wait. */
    private final Map<ExecutionAttemptID, Execution> waiting = new HashMap<>();

    /** Those of them that were let go and have not said the end yet. */
    private final Map<ExecutionAttemptID, Execution> released = new HashMap<>();

    private boolean takePart;
    private final List<Runnable> whenBegun = new ArrayList<>();
    private Runnable whenGone = () -> {};
    private Runnable endWaits = () -> {};

    /**
     * @param question what asks a predecessor to take part, by the number of the rescale
     */
    Predecessors(
            ElasticJob job,
            Neighbours neighbours,
            TaskMessenger messenger,
            int rescale,
            IntFunction<OfRescale> question) {
        this.job = job;
        this.neighbours = neighbours;
        this.messenger = messenger;
        this.rescale = rescale;
        this.question = question;
    }

    /**
     * Lets all take part that have not ended, if they do not already.
     *
     * @param begun called when they do; there may be none
     */
    void begin(Runnable begun) {
        whenBegun.add(begun);
        if (!takePart) {
            takePart = true;
            askNew();
        }
        goOnIfBegun();
    }

    /** Asks those to take part that have not been asked, as they have come since. */
    void askNew() {
        for (Execution predecessor : neighbours.predecessors()) {
            if (known.add(predecessor.getAttemptId())) {
                asked.put(predecessor.getAttemptId(), predecessor);
                messenger.send(predecessor, question.apply(rescale));
            }
        }
    }

    /**
     * @param endWaits called when one waits with the end of its data, and when others do and one of
     *     those that were asked has ended
     */
    void hear(Handlers<Execution, RuntimeException> events, Runnable endWaits) {
        this.endWaits = endWaits;
        events.on(RescaleBegun.class, (predecessor, begun) -> answered(predecessor, begun.ended()))
                .on(EndOfDataWaits.class, (predecessor, waits) -> onEndWaits(predecessor))
                .on(EndOfDataSent.class, (predecessor, sent) -> onEndSent(predecessor));
    }

    /**
     * The predecessor cannot be reached, or it has ended by itself.
     *
     * @return whether that is an answer
     */
    boolean onGone(Execution predecessor) {
        return answered(predecessor, true);
    }

    private boolean answered(Execution predecessor, boolean ended) {
        if (asked.remove(predecessor.getAttemptId()) == null) {
            return false;
        }
        if (ended) {
            hasEnded(predecessor);
            if (anyWaits()) { // it may be the last that all wait for
                endWaits.run();
            }
        }
        goOnIfBegun();
        return true;
    }

    private void hasEnded(Execution predecessor) {
        job.ended(predecessor.getAttemptId());
    }

    private void goOnIfBegun() {
        if (asked.isEmpty()) {
            List<Runnable> all = List.copyOf(whenBegun);
            whenBegun.clear();
            all.forEach(Runnable::run);
        }
    }

    private void onEndWaits(Execution predecessor) {
        waiting.put(predecessor.getAttemptId(), predecessor);
        endWaits.run();
    }

    boolean anyWaits() {
        return !waiting.isEmpty();
    }

    /**
     * Whether nothing comes from any of them any more. One that was let go and has not said so yet
     * has ended as well: else the last that waits would be let go like the others, in a rescale
     * that goes on, and tasks would end while it still needs them.
     */
    boolean allEnd() {
        return neighbours.predecessors().stream()
                .map(Execution::getAttemptId)
                .allMatch(p -> waiting.containsKey(p) || released.containsKey(p));
    }

    /**
     * Lets those go that wait. No subscale may be under way.
     *
     * @param gone called when they have ended
     */
    void release(Runnable gone) {
        whenGone = gone;
        List<Execution> some = List.copyOf(waiting.values());
        released.putAll(waiting);
        waiting.clear();
        messenger.send(some, new ReleasePredecessor(rescale));
    }

    private void onEndSent(Execution predecessor) {
        if (released.remove(predecessor.getAttemptId()) != null) {
            hasEnded(predecessor);
            if (released.isEmpty()) {
                whenGone.run();
            }
        }
    }

    /** Nothing waits for records or signals until the next {@link #begin}: all may end. */
    void releaseAll() {
        takePart = false;
        known.clear();
        asked.clear();
        Set<Execution> all = new HashSet<>(neighbours.predecessors());
        all.addAll(waiting.values()); // for another rescale they may have ended already
        waiting.clear();
        whenBegun.clear();
        whenGone = () -> {};
        all.removeIf(p -> p.getState() != ExecutionState.RUNNING);
        messenger.send(all, new ReleasePredecessor(rescale));
    }
}
