package dev.drrs.protocol;

/** How much is set aside, and what that means for the channels. On the task's thread. */
final class AsideAccount {

    private final long[] records;
    private long allRecords;
    private long allBytes;

    AsideAccount(int channels) {
        records = new long[channels];
    }

    void add(int channel, Waiting<?> element) {
        count(channel, 1, element.bytes);
    }

    void remove(int channel, Waiting<?> element) {
        count(channel, -1, -element.bytes);
    }

    /**
     * Whether the channel has to wait by the rule. One that has nothing set aside never does: that
     * way the confirms of its own predecessor, and nothing else, let it go on.
     */
    boolean isFull(int channel, WaitRule rule) {
        return records[channel] > 0 && rule.channelsWait(allRecords, allBytes);
    }

    private void count(int channel, int moreRecords, int moreBytes) {
        records[channel] += moreRecords;
        allRecords += moreRecords;
        allBytes += moreBytes;
    }
}
