package dev.drrs.protocol;

/** How much is set aside, and what that means for the channels. On the task's thread. */
final class AsideAccount {

    private final long[] elements;
    private long allRecords;
    private long allElements;
    private long allBytes;

    AsideAccount(int channels) {
        elements = new long[channels];
    }

    void add(int channel, Waiting<?> element) {
        count(channel, element, 1);
    }

    void remove(int channel, Waiting<?> element) {
        count(channel, element, -1);
    }

    /**
     * Whether the channel has to wait by the rule because of what is set aside on it. One that has
     * nothing set aside never does.
     */
    boolean isFull(int channel, WaitRule rule) {
        return elements[channel] > 0 && isFull(rule);
    }

    /** Whether channels have to wait by the rule. */
    boolean isFull(WaitRule rule) {
        return rule.channelsWait(allRecords, allElements, allBytes);
    }

    private void count(int channel, Waiting<?> element, int change) {
        elements[channel] += change;
        allElements += change;
        allRecords += element.isRecord() ? change : 0;
        allBytes += (long) change * element.bytes;
    }
}
