package dev.drrs.runtime.rescale;

import dev.drrs.runtime.task.InBandEvent;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * On each channel of a broadcast input, at the same place in all of them: nothing behind it is read
 * until the key groups of a rescale have moved.
 */
public final class BroadcastBarrier extends InBandEvent {

    private int rescale;

    /** For Flink's event serializer. */
    public BroadcastBarrier() {}

    public BroadcastBarrier(int rescale) {
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
        return "BroadcastBarrier(" + rescale + ")";
    }
}
