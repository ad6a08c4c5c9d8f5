package dev.drrs.runtime.role;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.state.KeyBin;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PeerCodecChunkTest {

    @Test
    void aChunkBecomesAMessageInItsOwnBuffer() throws Exception {
        byte[] memory = new byte[PeerCodec.CHUNK_HEADER + 3];
        ByteBuffer chunk = ByteBuffer.wrap(memory, PeerCodec.CHUNK_HEADER, 3);
        chunk.duplicate().put(new byte[] {4, 5, 6});

        ByteBuffer message = PeerCodec.chunk(11, 22, new KeyBin(3, 4), chunk);
        assertThat(message.array()).isSameAs(memory);
        assertThat(PeerCodec.kind(message)).isEqualTo(PeerCodec.Kind.CHUNK);

        PeerCodec.Chunk read = PeerCodec.chunk(message);
        assertThat(read.subscale()).isEqualTo(11);
        assertThat(read.keyGroup()).isEqualTo(22);
        assertThat(read.bin()).isEqualTo(new KeyBin(3, 4));
        assertThat(read.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {4, 5, 6}));
    }

    @Test
    void aPullNamesSubscaleKeyGroupAndBin() throws Exception {
        ByteBuffer message = PeerCodec.pull(1, 127, new KeyBin(0, 2));
        assertThat(PeerCodec.kind(message)).isEqualTo(PeerCodec.Kind.PULL);
        assertThat(PeerCodec.pull(message)).isEqualTo(new PeerCodec.Pull(1, 127, new KeyBin(0, 2)));
    }
}
