package dev.drrs.runtime.role;

/**
 * On the channel to the old owner: the last record of the subscale's key groups on this channel has
 * gone by.
 */
public final class ConfirmBarrier extends SubscaleEvent {

    /** For Flink's event serializer. */
    public ConfirmBarrier() {}

    public ConfirmBarrier(int subscale) {
        super(subscale);
    }
}
