package dev.drrs.protocol;

/**
 * The confirms are a barrier in order with the records, and the old owner aligns it as a Flink task
 * does that of a checkpoint: key groups leave when it has come on all channels. So nothing is
 * re-routed, and the signal takes as long as what is queued in front of it. No state, any thread.
 *
 * <p>A channel that waits may stop its predecessor altogether, before that one has sent the barrier
 * of another subscale. So all predecessors have to send barriers in the same order ({@link
 * MigrationEffects#reroute}): then nothing stops those whose barrier the first one waits for.
 */
record AlignedSignals() implements Signals {

    @Override
    public boolean leaves(int openChannels) {
        return openChannels == 0;
    }
}
