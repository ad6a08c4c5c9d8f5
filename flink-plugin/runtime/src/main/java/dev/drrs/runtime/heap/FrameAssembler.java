package dev.drrs.runtime.heap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;

/** Puts frames together from chunks. For one thread. */
final class FrameAssembler {

    interface Handler {
        /** Called before the body has come, so that nonsense is refused before it is waited for. */
        void announced(byte type) throws IOException;

        /** Takes the body of a frame; it must read all of it before it returns. */
        void frame(byte type, DataInputDeserializer body) throws IOException;
    }

    private static final int LENGTH_BYTES = Integer.BYTES;

    private final DataInputDeserializer input = new DataInputDeserializer();
    private byte[] buffer = new byte[1024];
    private int used;

    void add(ByteBuffer chunk, Handler handler) throws IOException {
        while (chunk.hasRemaining()) {
            if (used < Frames.PREFIX) {
                take(chunk, Frames.PREFIX);
                if (used < Frames.PREFIX) {
                    return;
                }
                if (length() < 1) {
                    throw new IOException(
                            "a frame of "
                                    + length()
                                    + " bytes was announced; the stream is damaged.");
                }
                handler.announced(buffer[LENGTH_BYTES]);
            }
            int end = Math.addExact(LENGTH_BYTES, length());
            take(chunk, end);
            if (used == end) {
                input.setBuffer(buffer, Frames.PREFIX, end - Frames.PREFIX);
                handler.frame(buffer[LENGTH_BYTES], input);
                if (input.available() != 0) {
                    throw new IOException(input.available() + " bytes of a frame were not read.");
                }
                used = 0;
            }
        }
    }

    private int length() {
        return ByteBuffer.wrap(buffer, 0, LENGTH_BYTES).getInt();
    }

    /** Lets go of its buffer if there is nothing in it. */
    void release() {
        if (used == 0) {
            input.releaseArrays();
            buffer = new byte[LENGTH_BYTES];
        }
    }

    private void take(ByteBuffer chunk, int until) {
        int now = Math.min(chunk.remaining(), until - used);
        if (buffer.length < used + now) {
            // Grows with what has come, not with what was announced.
            buffer =
                    Arrays.copyOf(
                            buffer,
                            (int)
                                    Math.min(
                                            Math.max((used + now) * 2L, 1024),
                                            Math.max(until, 1024)));
        }
        chunk.get(buffer, used, now);
        used += now;
    }
}
