package dev.drrs.protocol;

/**
 * Nothing overtakes a record whose key group is on its way: all later ones queue behind it, in
 * their channels, and the subtask stands. No record scheduling. Soft: what the host cannot leave in
 * a channel is still taken. No state, any thread.
 */
record InOrder() implements WaitRule {

    /** Watermarks and statuses alone stop nothing as long as they are not that many. */
    private static final int EVENT_TIME = 1024;

    @Override
    public boolean channelsWait(long records, long elements, long bytes) {
        return records > 0 || elements > EVENT_TIME;
    }

    @Override
    public boolean othersWait() {
        return true;
    }
}
