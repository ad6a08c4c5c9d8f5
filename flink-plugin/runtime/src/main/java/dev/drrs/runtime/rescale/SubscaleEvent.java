package dev.drrs.runtime.rescale;

import dev.drrs.runtime.task.InBandEvent;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A signal about one subscale, in order with the records of a channel. */
abstract class SubscaleEvent extends InBandEvent {

    private int subscale;

    SubscaleEvent() {}

    SubscaleEvent(int subscale) {
        this.subscale = subscale;
    }

    int subscale() {
        return subscale;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeInt(subscale);
    }

    @Override
    public void read(DataInputView in) throws IOException {
        subscale = in.readInt();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "(" + subscale + ")";
    }
}
