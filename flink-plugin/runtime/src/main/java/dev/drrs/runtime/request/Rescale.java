package dev.drrs.runtime.request;

import dev.drrs.protocol.Phase;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.run.RescaleRun;
import dev.drrs.runtime.run.StrategyChoice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A request: one or several vertices, with one id, one status and one abort. Vertices that touch
 * have their turns one after the other, in the order of the request; the others go together. If one
 * is given up all are: what has not begun never does, what runs is turned back, what has completed
 * is moved back. Main thread.
 */
final class Rescale {

    /** Who lets the parts run. */
    interface Host {

        /** Whether no rescale is under way that touches the vertex. */
        boolean mayBegin(ElasticVertex vertex);

        boolean touch(ElasticVertex one, ElasticVertex other);

        /** Makes a run of the part; it is not to begin yet. */
        RescaleRun newRun(Rescale rescale, ElasticVertex vertex, RescaleRun.Order order);

        /** All parts are over. */
        void ended(Rescale rescale);
    }

    private final String requestId;
    private final String cause;
    private final StrategyChoice strategy;
    private final List<RescalePart> parts;
    private final Host host;
    private final Recovery recovery;
    private final boolean resumes;
    private final long acceptedAt = System.currentTimeMillis();
    private String abortReason;
    private long abortedAt = -1;
    private boolean over;

    /**
     * @param recovery what it goes back to after a failover, null if somebody asked for it
     */
    Rescale(List<RescalePart> parts, Host host, Recovery recovery) {
        RescaleRun.Order first = parts.get(0).order();
        this.requestId = first.requestId();
        this.cause = first.cause();
        this.strategy = first.strategy();
        this.parts = List.copyOf(parts);
        this.host = host;
        this.recovery = recovery;
        this.resumes = recovery != null && recovery.resumes();
    }

    String requestId() {
        return requestId;
    }

    String cause() {
        return cause;
    }

    StrategyChoice strategy() {
        return strategy;
    }

    List<RescalePart> parts() {
        return parts;
    }

    Recovery recovery() {
        return recovery;
    }

    /** Whether it goes on with a request that a failover fell into, and not back. */
    boolean resumes() {
        return resumes;
    }

    /** Epoch milliseconds. */
    long acceptedAt() {
        return acceptedAt;
    }

    String abortReason() {
        return abortReason;
    }

    /** Epoch milliseconds, or -1 if it was not given up. */
    long abortedAt() {
        return abortedAt;
    }

    boolean isOver() {
        return over;
    }

    /** Those of its runs that are under way. */
    List<RescaleRun> running() {
        List<RescaleRun> running = new ArrayList<>();
        for (RescalePart part : parts) {
            if (part.current() != null) {
                running.add(part.current());
            }
        }
        return running;
    }

    /** Lets begin what may, and ends if all is over. */
    void advance() {
        if (over) {
            return;
        }
        if (abortReason == null) {
            beginInOrder();
        } else {
            moveBackInReverseOrder();
        }
        if (parts.stream().noneMatch(this::isUnfinished)) {
            over = true;
            host.ended(this);
        }
    }

    private void beginInOrder() {
        List<ElasticVertex> before = new ArrayList<>();
        for (RescalePart part : parts) {
            if (part.hasBegun() || part.isOver()) {
                continue;
            }
            ElasticVertex vertex = part.vertex();
            if (host.mayBegin(vertex)
                    && before.stream().noneMatch(other -> host.touch(vertex, other))) {
                RescaleRun run = host.newRun(this, vertex, part.order());
                part.begun(run);
                run.begin();
            } else {
                before.add(vertex);
            }
        }
    }

    private void moveBackInReverseOrder() {
        List<RescalePart> reversed = new ArrayList<>(parts);
        Collections.reverse(reversed);
        List<ElasticVertex> before = new ArrayList<>();
        for (RescalePart part : reversed) {
            ElasticVertex vertex = part.vertex();
            if (!part.isCompleted() || part.isBackBegun()) {
                continue;
            }
            if (host.mayBegin(vertex)
                    && before.stream().noneMatch(other -> host.touch(vertex, other))) {
                RescaleRun run = host.newRun(this, vertex, part.orderBack());
                part.backBegun(run);
                run.begin();
            } else {
                before.add(vertex);
            }
        }
    }

    /** Whether the part is under way or has still to come: its turn, or its way back. */
    boolean isUnfinished(RescalePart part) {
        return !part.isOver() || (abortReason != null && part.isCompleted() && !part.isBackBegun());
    }

    boolean isAbortable() {
        return !over && abortReason == null && parts.stream().anyMatch(RescalePart::isAbortable);
    }

    /** Gives up all parts; the first reason counts. */
    void abort(String reason) {
        if (over || abortReason != null) {
            return;
        }
        abortReason = reason;
        abortedAt = System.currentTimeMillis();
        for (RescalePart part : parts) {
            if (part.current() != null) {
                part.current().abort(reason);
            } else if (!part.hasBegun() && !part.isOver()) {
                part.drop(Phase.ABORTED, reason);
            }
        }
    }

    /**
     * One of its runs is over by itself: turned back, or done. To be followed by {@link #advance}.
     */
    void ended(RescaleRun run) {
        boolean there =
                parts.stream().anyMatch(part -> part.latest() == run && !part.isBackBegun());
        if (there && run.lifecycle().phase() == Phase.ABORTED && parts.size() > 1) {
            abort("operator " + run.vertex().name() + " was given up: " + reasonOf(run));
        }
    }

    private static String reasonOf(RescaleRun run) {
        var history = run.lifecycle().history();
        return history.get(history.size() - 1).reason();
    }

    /** A failover fell into it: what has not begun never does, as another rescale follows. */
    void failed(String reason) {
        for (RescalePart part : parts) {
            if (!part.hasBegun() && !part.isOver()) {
                part.drop(Phase.FAILED, reason);
            }
        }
    }

    /** Where all of it stands. */
    Phase phase() {
        List<Phase> phases = parts.stream().map(RescalePart::phase).toList();
        if (parts.size() == 1) {
            return phases.get(0);
        }
        if (over) {
            return phases.contains(Phase.FAILED)
                    ? Phase.FAILED
                    : phases.contains(Phase.ABORTED) ? Phase.ABORTED : Phase.COMPLETED;
        }
        if (abortReason != null) {
            return Phase.ABORTING;
        }
        if (phases.stream().allMatch(phase -> phase == Phase.RETIRING || phase.isTerminal())) {
            return Phase.RETIRING;
        }
        if (hasEntered(Phase.MIGRATING)) {
            return Phase.MIGRATING;
        }
        return hasEntered(Phase.PROVISIONING) ? Phase.PROVISIONING : Phase.PLANNED;
    }

    private boolean hasEntered(Phase phase) {
        return parts.stream()
                .flatMap(part -> part.history().stream())
                .anyMatch(entered -> entered.phase() == phase);
    }
}
