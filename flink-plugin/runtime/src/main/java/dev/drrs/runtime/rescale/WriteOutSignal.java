package dev.drrs.runtime.rescale;

import dev.drrs.runtime.task.InBandEvent;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * From a subtask that is to retire to those that retire with it: nothing is held back before this
 * one. Tasks behind them take no notice.
 */
public final class WriteOutSignal extends InBandEvent {

    private int rescale;

    /** For Flink's event serializer. */
    public WriteOutSignal() {}

    public WriteOutSignal(int rescale) {
        this.rescale = rescale;
    }

    int rescale() {
        return rescale;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeInt(rescale);
    }

    @Override
    public void read(DataInputView in) throws IOException {
        rescale = in.readInt();
    }

    @Override
    public String toString() {
        return "WriteOutSignal(" + rescale + ")";
    }
}
