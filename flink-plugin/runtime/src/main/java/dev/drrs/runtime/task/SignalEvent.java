package dev.drrs.runtime.task;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** An event that says all by its class. */
public abstract class SignalEvent extends InBandEvent {

    @Override
    public void write(DataOutputView out) {}

    @Override
    public void read(DataInputView in) {}

    @Override
    public String toString() {
        return getClass().getSimpleName();
    }
}
