package dev.drrs.runtime.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.state.ChunkSink;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChunkWriterTest {

    private static final int HEADROOM = 9;

    @Test
    void eachChunkHasRoomInFrontOfItForAHeaderAndTheBytesStayInOrder() throws Exception {
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        List<Integer> sizes = new ArrayList<>();
        ChunkSink sink =
                new ChunkSink() {
                    @Override
                    public int headroom() {
                        return HEADROOM;
                    }

                    @Override
                    public void accept(int keyGroup, ByteBuffer chunk, boolean last) {
                        assertThat(chunk.position()).isEqualTo(HEADROOM);
                        sizes.add(chunk.remaining());
                        for (int i = 0; i < HEADROOM; i++) {
                            chunk.put(i, (byte) -1);
                        }
                        while (chunk.hasRemaining()) {
                            together.write(chunk.get());
                        }
                    }
                };
        byte[] bytes = new byte[25];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        ChunkWriter writer = new ChunkWriter(7, 10, sink);
        writer.write(bytes, 0, 3);
        writer.write(bytes, 3, 22);
        writer.finish();
        assertThat(sizes).containsExactly(10, 10, 5);
        assertThat(together.toByteArray()).isEqualTo(bytes);
    }
}
