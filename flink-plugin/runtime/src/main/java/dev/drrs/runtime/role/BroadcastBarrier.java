package dev.drrs.runtime.role;

/**
 * On each channel of a broadcast input, at the same place in all of them: nothing behind it is read
 * until the key groups of a rescale have moved.
 */
public final class BroadcastBarrier extends RescaleEvent {

    /** For Flink's event serializer. */
    public BroadcastBarrier() {}

    public BroadcastBarrier(int rescale) {
        super(rescale);
    }
}
