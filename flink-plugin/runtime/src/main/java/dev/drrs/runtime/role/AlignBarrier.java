package dev.drrs.runtime.role;

/**
 * From a new owner to its consumers: let this channel hold event time from here on, and say where
 * it stands.
 */
public final class AlignBarrier extends SubscaleEvent {

    /** For Flink's event serializer. */
    public AlignBarrier() {}

    public AlignBarrier(int subscale) {
        super(subscale);
    }
}
