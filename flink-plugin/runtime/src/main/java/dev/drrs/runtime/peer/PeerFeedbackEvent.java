package dev.drrs.runtime.peer;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.TaskEvent;

/**
 * What a consumer tells its producer, backwards through Flink's task events.
 *
 * <p>Public with a public constructor because Flink instantiates events by class name.
 */
public final class PeerFeedbackEvent extends TaskEvent {

    /** The consumer's state. */
    public enum Kind {
        /** The stream's head arrived: somebody consumes the partition. */
        CONNECTED,
        /** The handler has returned from the last message of a finished stream. */
        HANDLED,
        /** The consumer went away before the stream's end. */
        CLOSED,
        /** So it did, and its task has ended without a failure. */
        ENDED
    }

    private Kind kind = Kind.CLOSED;
    private String reason = "";

    public PeerFeedbackEvent() {}

    PeerFeedbackEvent(Kind kind, String reason) {
        this.kind = kind;
        this.reason = PeerClosedException.shortened(reason);
    }

    public Kind kind() {
        return kind;
    }

    /** Why the consumer closed, empty for the other kinds. */
    public String reason() {
        return reason;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeUTF(kind.name());
        out.writeUTF(reason);
    }

    @Override
    public void read(DataInputView in) throws IOException {
        String name = in.readUTF();
        try {
            kind = Kind.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new IOException("Unknown feedback of a peer exchange: " + name, e);
        }
        reason = in.readUTF();
    }
}
