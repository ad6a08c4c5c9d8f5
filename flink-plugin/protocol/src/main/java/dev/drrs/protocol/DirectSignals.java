package dev.drrs.protocol;

/**
 * Straight from the coordinator to the old owner and to all predecessors at the same moment, so
 * that nothing waits behind queued records; the first sign counts. What comes to the old owner
 * later is sent on. No state, any thread.
 *
 * @param batch how much of that travels together
 */
record DirectSignals(RerouteBatch batch) implements Signals {

    /** What comes later is sent on at once. */
    DirectSignals() {
        this(RerouteBatch.NONE);
    }

    @Override
    public boolean leaves(int openChannels) {
        return true;
    }
}
