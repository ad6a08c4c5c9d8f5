package dev.drrs.runtime.role;

import dev.drrs.runtime.task.InBandEvent;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A signal in order with the records of a channel that says one number. */
abstract class NumberedEvent extends InBandEvent {

    private int number;

    NumberedEvent() {}

    NumberedEvent(int number) {
        this.number = number;
    }

    final int number() {
        return number;
    }

    @Override
    public final void write(DataOutputView out) throws IOException {
        out.writeInt(number);
    }

    @Override
    public final void read(DataInputView in) throws IOException {
        number = in.readInt();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "(" + number + ")";
    }
}
