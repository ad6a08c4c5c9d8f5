package dev.drrs.runtime.task;

import java.util.stream.IntStream;

/**
 * Keeps records of a partitioner that picks any channel (rebalance, shuffle) away from dormant consumers. Hangs at the
 * partitioner; mailbox thread only.
 */
public final class ActiveChannels {

    private int[] active = new int[0];
    private int next;

    void update(boolean[] dormant) {
        active = IntStream.range(0, dormant.length).filter(i -> !dormant[i]).toArray();
        next = 0;
    }

    /**
     * @param hook what hangs at the partitioner
     * @param chosen what the partitioner chose over all channels
     * @return the channel to use
     */
    public static int select(Object hook, int chosen) {
        return hook == null ? chosen : ((ActiveChannels) hook).next();
    }

    private int next() {
        next = next + 1 < active.length ? next + 1 : 0;
        return active[next];
    }
}
