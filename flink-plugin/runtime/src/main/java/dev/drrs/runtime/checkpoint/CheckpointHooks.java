package dev.drrs.runtime.checkpoint;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.section.CheckpointTurns;
import dev.drrs.runtime.section.CheckpointTurns.Chosen;
import java.util.NavigableSet;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.DrrsCheckpointAccess;

/**
 * What the advice in the checkpoint coordinator's queue calls; on the coordinator's timer thread,
 * under its lock.
 */
public final class CheckpointHooks {

    private CheckpointHooks() {}

    /**
     * Before a request is chosen.
     *
     * @param busy whether a checkpoint is being triggered or pending
     * @param queue the requests, the one that comes next first: periodic ones behind all others
     * @return true to leave all requests in the queue for now
     */
    public static boolean hold(Object hook, boolean busy, NavigableSet<?> queue) {
        CheckpointTurns gate = ((ElasticJob) hook).gate();
        if (!busy) {
            gate.idle();
        }
        if (queue.isEmpty()) {
            gate.nothingQueued();
            return false;
        }
        return !gate.mayStart(DrrsCheckpointAccess.isPeriodic(queue.first()));
    }

    /** A choice was made. */
    public static void chosen(Object hook, Optional<?> request) {
        ((ElasticJob) hook)
                .gate()
                .chosen(request.map(CheckpointHooks::kind).orElse(Chosen.NOTHING));
    }

    private static Chosen kind(Object request) {
        if (DrrsCheckpointAccess.isPeriodic(request)) {
            return Chosen.PERIODIC;
        }
        return DrrsCheckpointAccess.isSavepoint(request) ? Chosen.SAVEPOINT : Chosen.CHECKPOINT;
    }

    /**
     * A new request came. True if it was answered here: one periodic request in the queue is
     * enough.
     */
    public static boolean dropSurplus(Object hook, Object request) {
        return ((ElasticJob) hook).gate().isHolding()
                && DrrsCheckpointAccess.refuseIfPeriodic(request);
    }
}
