package dev.drrs.protocol;

/** How much is set aside, against the limit. */
final class AsideAccount {

    private final long[] records;
    private long allRecords;
    private long allBytes;
    private SetAsideLimit limit;

    AsideAccount(int channels, SetAsideLimit limit) {
        records = new long[channels];
        this.limit = limit;
    }

    void limit(SetAsideLimit limit) {
        this.limit = limit;
    }

    void add(int channel, Waiting<?> element) {
        count(channel, 1, element.bytes);
    }

    void remove(int channel, Waiting<?> element) {
        count(channel, -1, -element.bytes);
    }

    /**
     * Whether the channel has to wait. One that has nothing set aside never does: that way the
     * confirms of its own predecessor, and nothing else, let it go on.
     */
    boolean isFull(int channel) {
        if (records[channel] == 0) {
            return false;
        }
        return allRecords > limit.records() || allBytes > limit.bytes();
    }

    private void count(int channel, int moreRecords, int moreBytes) {
        records[channel] += moreRecords;
        allRecords += moreRecords;
        allBytes += moreBytes;
    }
}
