package dev.drrs.runtime.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {

    private static class Recorder implements FrameDecoder.Sink {

        final List<String> seen = new ArrayList<>();

        @Override
        public void hello() {
            seen.add("hello");
        }

        @Override
        public void message(Frame.Kind kind, ByteBuffer message) {
            seen.add(kind + ":" + message.remaining());
        }

        @Override
        public void filler(int bytes) {
            seen.add("filler:" + bytes);
        }

        @Override
        public void fin() {
            seen.add("fin");
        }
    }

    private final Recorder recorder = new Recorder();
    private final FrameDecoder decoder = new FrameDecoder(1 << 20, recorder);

    private static byte[] frame(Frame.Kind kind, int length, int payload) {
        ByteBuffer bytes = ByteBuffer.allocate(Frame.HEADER_BYTES + payload);
        bytes.put(kind.code).putInt(length);
        return bytes.array();
    }

    @Test
    void bulkMessagesShareABufferAndSignalsDoNot() throws Exception {
        List<byte[]> buffers = new ArrayList<>();
        FrameDecoder own =
                new FrameDecoder(
                        1 << 20,
                        new Recorder() {
                            @Override
                            public void message(Frame.Kind kind, ByteBuffer message) {
                                super.message(kind, message);
                                buffers.add(message.array());
                            }
                        });
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.write(frame(Frame.Kind.HELLO, Frame.VERSION, 0));
        for (Frame.Kind kind : List.of(Frame.Kind.BULK, Frame.Kind.SIGNAL)) {
            for (int size : new int[] {10, 4}) {
                stream.write(frame(kind, size, size));
            }
        }
        own.feed(ByteBuffer.wrap(stream.toByteArray()));
        assertThat(buffers).hasSize(4);
        assertThat(buffers.get(1)).isSameAs(buffers.get(0));
        assertThat(buffers.get(3)).isNotSameAs(buffers.get(2));
    }

    @Test
    void framesOfASignalMayStandWithinABulkMessageHoweverTheBytesAreCut() throws Exception {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.write(frame(Frame.Kind.HELLO, Frame.VERSION, 0));
        stream.write(frame(Frame.Kind.BULK, Frame.MAX_PAYLOAD + 10, Frame.MAX_PAYLOAD));
        stream.write(frame(Frame.Kind.SIGNAL, Frame.MAX_PAYLOAD + 1, Frame.MAX_PAYLOAD));
        stream.write(frame(Frame.Kind.SIGNAL, Frame.MAX_PAYLOAD + 1, 1));
        stream.write(frame(Frame.Kind.SIGNAL, 0, 0));
        stream.write(frame(Frame.Kind.BULK, Frame.MAX_PAYLOAD + 10, 10));
        stream.write(frame(Frame.Kind.SIGNAL, 3, 3));
        stream.write(frame(Frame.Kind.FIN, 0, 0));
        Random random = new Random(7);
        ByteBuffer all = ByteBuffer.wrap(stream.toByteArray());
        while (all.hasRemaining()) {
            int part = Math.min(all.remaining(), 1 + random.nextInt(200));
            decoder.feed(all.slice(all.position(), part));
            all.position(all.position() + part);
        }
        assertThat(recorder.seen)
                .containsExactly(
                        "hello",
                        "SIGNAL:" + (Frame.MAX_PAYLOAD + 1),
                        "SIGNAL:0",
                        "BULK:" + (Frame.MAX_PAYLOAD + 10),
                        "SIGNAL:3",
                        "fin");
    }

    @Test
    void fillerIsSkippedOverSeveralFrames() throws Exception {
        decoder.feed(ByteBuffer.wrap(frame(Frame.Kind.HELLO, Frame.VERSION, 0)));
        int length = Frame.MAX_PAYLOAD + 5;
        decoder.feed(ByteBuffer.wrap(frame(Frame.Kind.FILLER, length, Frame.MAX_PAYLOAD)));
        decoder.feed(ByteBuffer.wrap(frame(Frame.Kind.FILLER, length, 5)));
        decoder.feed(ByteBuffer.wrap(frame(Frame.Kind.SIGNAL, 1, 1)));
        assertThat(recorder.seen)
                .containsExactly("hello", "filler:" + Frame.MAX_PAYLOAD, "filler:5", "SIGNAL:1");
    }

    @Test
    void theBytesOfTheKindsAreWhatTheyAre() {
        assertThat(Arrays.stream(Frame.Kind.values()).map(kind -> kind + " " + kind.code))
                .containsExactlyInAnyOrder("SIGNAL 0", "BULK 1", "FILLER 2", "HELLO 3", "FIN 4");
    }

    @Test
    void aBrokenStreamIsRefused() {
        byte[] hello = frame(Frame.Kind.HELLO, Frame.VERSION, 0);
        byte[] halfAMessage = frame(Frame.Kind.BULK, 2 * Frame.MAX_PAYLOAD, Frame.MAX_PAYLOAD);
        assertRefused("does not start with its head", frame(Frame.Kind.SIGNAL, 1, 1));
        int other = Frame.VERSION + 1;
        assertRefused("version " + other, frame(Frame.Kind.HELLO, other, 0));
        assertRefused("unknown frame kind 9", hello, new byte[] {9, 0, 0, 0, 0});
        assertRefused("4294967295 bytes", hello, frame(Frame.Kind.BULK, -1, 0));
        assertRefused("1048577 bytes", hello, frame(Frame.Kind.SIGNAL, (1 << 20) + 1, 0));
        assertRefused("within a message", hello, halfAMessage, frame(Frame.Kind.FIN, 0, 0));
        assertRefused("changed its length", hello, halfAMessage, frame(Frame.Kind.BULK, 5, 0));
        assertRefused(
                "after the end",
                hello,
                frame(Frame.Kind.FIN, 0, 0),
                frame(Frame.Kind.SIGNAL, 0, 0));
    }

    private static void assertRefused(String part, byte[]... frames) {
        FrameDecoder fresh = new FrameDecoder(1 << 20, new Recorder());
        assertThatThrownBy(
                        () -> {
                            for (byte[] bytes : frames) {
                                fresh.feed(ByteBuffer.wrap(bytes));
                            }
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining(part);
    }
}
