package dev.drrs.runtime.checkpoint;

import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.section.CheckpointTurns;
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
     * @param nothingQueued whether there is no request to choose
     * @return true to leave all requests in the queue for now
     */
    public static boolean hold(Object hook, boolean busy, boolean nothingQueued) {
        CheckpointTurns gate = ((ElasticJob) hook).gate();
        if (!busy) {
            gate.idle();
        }
        return !nothingQueued && !gate.mayStart();
    }

    /** A choice was made. */
    public static void chosen(Object hook, boolean request) {
        ((ElasticJob) hook).gate().chosen(request);
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
