package dev.drrs.runtime.role;

/**
 * On the channel to the new owner: records of the subscale's key groups follow on this channel from
 * here on.
 */
public final class SwitchBarrier extends SubscaleEvent {

    /** For Flink's event serializer. */
    public SwitchBarrier() {}

    public SwitchBarrier(int subscale) {
        super(subscale);
    }
}
