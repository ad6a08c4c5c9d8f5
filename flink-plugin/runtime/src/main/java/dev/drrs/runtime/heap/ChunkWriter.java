package dev.drrs.runtime.heap;

import dev.drrs.runtime.state.ChunkSink;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Cuts a stream of bytes into chunks, all but the last one full. For one thread. */
final class ChunkWriter {

    private final int keyGroup;
    private final int chunkBytes;
    private final ChunkSink sink;
    private final int headroom;
    private byte[] chunk;

    /** Without the headroom. */
    private int used;

    ChunkWriter(int keyGroup, int chunkBytes, ChunkSink sink) {
        this.keyGroup = keyGroup;
        this.chunkBytes = chunkBytes;
        this.sink = sink;
        this.headroom = sink.headroom();
        this.chunk = sink.buffer(headroom + chunkBytes);
    }

    void write(byte[] bytes, int offset, int length) throws IOException, InterruptedException {
        int from = offset;
        int rest = length;
        while (rest > 0) {
            if (used == chunkBytes) {
                // Not sooner: the last chunk has to be marked as such and must not be empty.
                sink.accept(keyGroup, ByteBuffer.wrap(chunk, headroom, used), false);
                chunk = sink.buffer(headroom + chunkBytes);
                used = 0;
            }
            int now = Math.min(rest, chunkBytes - used);
            System.arraycopy(bytes, from, chunk, headroom + used, now);
            used += now;
            from += now;
            rest -= now;
        }
    }

    void finish() throws IOException, InterruptedException {
        sink.accept(keyGroup, ByteBuffer.wrap(chunk, headroom, used), true);
    }
}
