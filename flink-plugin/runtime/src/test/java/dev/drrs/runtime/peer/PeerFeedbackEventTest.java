package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class PeerFeedbackEventTest {

    private final DataOutputSerializer out = new DataOutputSerializer(64);

    @Test
    void aKindTravelsByItsName() throws Exception {
        for (PeerFeedbackEvent.Kind kind : PeerFeedbackEvent.Kind.values()) {
            out.clear();
            new PeerFeedbackEvent(kind, "why").write(out);
            PeerFeedbackEvent read = read();
            assertThat(read.kind()).isEqualTo(kind);
            assertThat(read.reason()).isEqualTo("why");
            assertThat(new DataInputDeserializer(out.getCopyOfBuffer()).readUTF())
                    .isEqualTo(kind.name());
        }
    }

    @Test
    void aKindThatThereIsNotIsRefused() throws Exception {
        out.writeUTF("LATER");
        out.writeUTF("");
        assertThatThrownBy(this::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("LATER");
    }

    private PeerFeedbackEvent read() throws IOException {
        PeerFeedbackEvent event = new PeerFeedbackEvent();
        event.read(new DataInputDeserializer(out.getCopyOfBuffer()));
        return event;
    }
}
