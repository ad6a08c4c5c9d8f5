package dev.drrs.runtime.role;

import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.state.KeyBin;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Puts chunks of a subscale's key groups on a peer exchange. The thread that writes them. */
record PeerChunks(int subscale, KeyBin bin, PeerWriter writer) implements PartRoute.Part {

    @Override
    public int headroom() {
        return PeerCodec.CHUNK_HEADER;
    }

    @Override
    public byte[] buffer(int bytes) {
        return writer.chunkBuffer(bytes);
    }

    @Override
    public void accept(int keyGroup, ByteBuffer chunk, boolean last)
            throws IOException, InterruptedException {
        writer.sendChunk(PeerCodec.chunk(subscale, keyGroup, bin, chunk));
    }
}
