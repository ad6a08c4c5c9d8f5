package dev.drrs.protocol;

/**
 * Records are set aside up to a number; then the subtask stands until one of them has been taken: a
 * channel on which nothing waits is not read on either, once its predecessor has switched a
 * subscale with records that do. Soft: what the host cannot leave in a channel is still taken. No
 * state, any thread.
 *
 * @param records set aside at which the subtask stands, at least 1
 */
record Suspension(long records) implements WaitRule {

    /** Watermarks and statuses stop nothing as long as they are not that many more. */
    private static final int EVENT_TIME = 1024;

    Suspension {
        if (records < 1) {
            throw new IllegalArgumentException("a subtask that stands at " + records + " records");
        }
    }

    @Override
    public boolean channelsWait(long setAside, long elements, long bytes) {
        return setAside >= records || elements - setAside > EVENT_TIME;
    }

    @Override
    public boolean othersWait() {
        return true;
    }
}
