package dev.drrs.runtime.peer;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.AbstractEvent;

/**
 * The producer closed its end hard. Sent with priority, so that it needs no credit and overtakes
 * what is queued.
 *
 * <p>Public with a public constructor because Flink instantiates events by class name.
 */
public final class PeerAbortEvent extends AbstractEvent {

    private String reason = "";
    private boolean endOfTask;

    public PeerAbortEvent() {}

    PeerAbortEvent(Throwable cause) {
        this.reason = PeerClosedException.shortened(PeerClosedException.reason(cause));
        this.endOfTask = cause instanceof PeerClosedException closed && closed.isEndOfTask();
    }

    /** What it means for the consumer. */
    PeerClosedException failure() {
        return endOfTask ? PeerClosedException.endOfTask(reason) : new PeerClosedException(reason);
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeUTF(reason);
        out.writeBoolean(endOfTask);
    }

    @Override
    public void read(DataInputView in) throws IOException {
        reason = in.readUTF();
        endOfTask = in.readBoolean();
    }
}
