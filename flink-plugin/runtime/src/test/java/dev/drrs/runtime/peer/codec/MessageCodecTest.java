package dev.drrs.runtime.peer.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class MessageCodecTest {

    private final DataOutputSerializer out = new DataOutputSerializer(16);

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        MessageCodec.writeBytes(new byte[] {1, 2, 3}, out);
        MessageCodec.writeBytes(new byte[] {9, 8, 7, 6}, 1, 2, out);
        MessageCodec.writeInts(new int[] {1, Integer.MIN_VALUE}, out);
        MessageCodec.writeLongs(new long[] {-1, Long.MAX_VALUE, 0}, out);
        int[] numbers = {0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, -1, Integer.MIN_VALUE};
        for (int number : numbers) {
            MessageCodec.writeVarInt(number, out);
        }
        DataInputDeserializer in = MessageCodec.open(MessageCodec.take(out));
        assertThat(MessageCodec.readBytes(in)).containsExactly(1, 2, 3);
        assertThat(MessageCodec.readBytes(in)).containsExactly(8, 7);
        assertThat(MessageCodec.readInts(in)).containsExactly(1, Integer.MIN_VALUE);
        assertThat(MessageCodec.readLongs(in)).containsExactly(-1, Long.MAX_VALUE, 0);
        for (int number : numbers) {
            assertThat(MessageCodec.readVarInt(in)).isEqualTo(number);
        }
        assertThat(in.available()).isZero();
    }

    @Test
    void aMessageTakenIsNotChangedByTheNextOne() throws IOException {
        out.writeInt(1);
        ByteBuffer first = MessageCodec.take(out);
        out.writeInt(2);
        ByteBuffer second = MessageCodec.take(out);
        assertThat(first.getInt(0)).isEqualTo(1);
        assertThat(second.getInt(0)).isEqualTo(2);
        assertThat(first.remaining()).isEqualTo(4);
    }

    @Test
    void openingAMessageLeavesItsPosition() throws IOException {
        ByteBuffer message = ByteBuffer.wrap(new byte[] {0, 0, 0, 0, 5, 0}).position(1).limit(5);
        assertThat(MessageCodec.open(message).readInt()).isEqualTo(5);
        assertThat(message.position()).isEqualTo(1);
    }

    @Test
    void aCountThatTheMessageCannotHoldIsRefusedBeforeAnythingIsAllocated() throws IOException {
        out.writeInt(Integer.MAX_VALUE);
        ByteBuffer huge = MessageCodec.take(out);
        assertThatThrownBy(() -> MessageCodec.readBytes(MessageCodec.open(huge)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> MessageCodec.readInts(MessageCodec.open(huge)))
                .isInstanceOf(IOException.class);
        out.writeInt(-1);
        ByteBuffer negative = MessageCodec.take(out);
        assertThatThrownBy(() -> MessageCodec.readLongs(MessageCodec.open(negative)))
                .isInstanceOf(IOException.class);
        ByteBuffer endless = ByteBuffer.wrap(new byte[] {-1, -1, -1, -1, -1, 1});
        assertThatThrownBy(() -> MessageCodec.readVarInt(MessageCodec.open(endless)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("five bytes");
    }
}
