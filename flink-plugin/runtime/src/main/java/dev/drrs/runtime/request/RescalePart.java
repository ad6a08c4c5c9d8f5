package dev.drrs.runtime.request;

import dev.drrs.protocol.Balance;
import dev.drrs.protocol.Migration;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.Plan;
import dev.drrs.protocol.RescaleLifecycle;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.run.RescaleRun;
import dev.drrs.runtime.run.RunFigures;
import java.util.ArrayList;
import java.util.List;

/**
 * What a request wants of one vertex: waits for its turn, runs, and is moved back by a second run
 * if the request is given up after the first one has completed. Main thread.
 */
final class RescalePart {

    private final ElasticVertex vertex;
    private final RescaleRun.Order order;
    private final RescaleLifecycle waiting = new RescaleLifecycle(System::currentTimeMillis);
    private RescaleRun run;
    private RescaleRun back;

    RescalePart(ElasticVertex vertex, RescaleRun.Order order) {
        this.vertex = vertex;
        this.order = order;
    }

    ElasticVertex vertex() {
        return vertex;
    }

    RescaleRun.Order order() {
        return order;
    }

    boolean hasBegun() {
        return run != null;
    }

    /** Whether it is over before it began, or after. */
    boolean isOver() {
        return phase().isTerminal();
    }

    /** The run under way, or null. */
    RescaleRun current() {
        if (back != null) {
            return back.isOver() ? null : back;
        }
        return run == null || run.isOver() ? null : run;
    }

    /** The last run that was begun, or null. */
    RescaleRun latest() {
        return back == null ? run : back;
    }

    void begun(RescaleRun first) {
        run = first;
    }

    /** The request is given up before the part had its turn. */
    void drop(Phase end, String reason) {
        if (end == Phase.ABORTED) {
            waiting.enter(Phase.ABORTING, reason);
        }
        waiting.enter(end, reason);
    }

    /** Key group to subtask before any of it; only once it has begun. */
    int[] startPlacement() {
        return run.startPlacement();
    }

    /** Whether the run completed: it takes another one to go back. */
    boolean isCompleted() {
        return run != null && run.lifecycle().phase() == Phase.COMPLETED;
    }

    boolean isBackBegun() {
        return back != null;
    }

    void backBegun(RescaleRun second) {
        back = second;
    }

    /** The rescale back to the placement before the part. */
    RescaleRun.Order orderBack() {
        int[] target = run.startPlacement();
        return new RescaleRun.Order(
                order.requestId(),
                run.fromParallelism(),
                order.strategy(),
                order.cause(),
                Recovery.plan(vertex.placement(), target, order.strategy()));
    }

    boolean isAbortable() {
        return phase().isAbortable() && (current() == null || current().isAbortable());
    }

    Phase phase() {
        if (run == null) {
            return waiting.phase();
        }
        if (back == null) {
            return run.lifecycle().phase();
        }
        return switch (back.lifecycle().phase()) {
            case COMPLETED, ABORTED -> Phase.ABORTED;
            case FAILED -> Phase.FAILED;
            default -> Phase.ABORTING;
        };
    }

    /** The phases so far; those of the way back count as {@link Phase#ABORTING}. */
    List<Entered> history() {
        List<Entered> all =
                new ArrayList<>(run == null ? waiting.history() : run.lifecycle().history());
        if (back != null) {
            String reason = "another operator of the request was given up";
            all.add(new Entered(Phase.ABORTING, back.lifecycle().acceptedAt(), reason));
            if (back.isOver()) {
                all.add(new Entered(phase(), back.lifecycle().endedAt(), endOfBack(reason)));
            }
        }
        return all;
    }

    private String endOfBack(String reason) {
        if (back.lifecycle().phase() == Phase.COMPLETED) {
            return reason;
        }
        List<Entered> phases = back.lifecycle().history();
        return "it could not be moved back and stays at parallelism "
                + order.parallelism()
                + ": "
                + phases.get(phases.size() - 1).reason();
    }

    int fromParallelism() {
        return run == null ? vertex.activeCount() : run.fromParallelism();
    }

    int minKeyGroups() {
        return run == null
                ? Balance.fewestMoves(vertex.placement(), order.plan().owners())
                : run.minKeyGroups();
    }

    /** Key groups that have moved and not come back, and the rest of it. */
    Migration.Progress progress() {
        if (run == null) {
            int keyGroups = 0;
            for (Plan.Move move : order.plan().moves()) {
                keyGroups += move.keyGroups().length;
            }
            return new Migration.Progress(
                    0, keyGroups, 0, 0, order.plan().moves().size(), 0, 0, 0, 0);
        }
        Migration.Progress there = run.progress();
        if (back == null) {
            return there;
        }
        Migration.Progress again = back.progress();
        return new Migration.Progress(
                there.movedKeyGroups() - again.movedKeyGroups(),
                there.totalKeyGroups(),
                there.open() + again.open(),
                there.done(),
                there.total(),
                there.rerouted() + again.rerouted(),
                there.setAside() + again.setAside(),
                there.demanded() + again.demanded(),
                there.bins() + again.bins());
    }

    /** What was measured on the way there; nothing before that. */
    RunFigures figures() {
        return run == null ? new RunFigures() : run.figures();
    }

    /** Between the JobManager and tasks, both ways, on the way there. */
    long messages() {
        return run == null ? 0 : run.messages();
    }

    /** Epoch milliseconds, or -1 unless key groups move there now. */
    long migratingSince() {
        return run == null ? -1 : run.migratingSince();
    }
}
