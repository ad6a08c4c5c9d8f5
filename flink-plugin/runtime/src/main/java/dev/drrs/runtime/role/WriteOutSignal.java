package dev.drrs.runtime.role;

/**
 * From a subtask that is to retire to those that retire with it: nothing is held back before this
 * one. Tasks behind them take no notice.
 */
public final class WriteOutSignal extends RescaleEvent {

    /** For Flink's event serializer. */
    public WriteOutSignal() {}

    public WriteOutSignal(int rescale) {
        super(rescale);
    }
}
