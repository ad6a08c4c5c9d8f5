package dev.drrs.runtime.state;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the chunks of a key group in order. */
@FunctionalInterface
public interface ChunkSink {

    /**
     * Bytes that are left free in each buffer before its position, for a header of the sink's: so
     * the chunk need not be copied for it.
     */
    default int headroom() {
        return 0;
    }

    /** An array for the next chunk, headroom and all, with anything in it. */
    default byte[] buffer(int bytes) {
        return new byte[bytes];
    }

    /**
     * Takes one chunk, all of an array that was asked for here. May block until there is room. The
     * buffer belongs to the sink from now on.
     *
     * @param last whether this is the last chunk of the key group
     */
    void accept(int keyGroup, ByteBuffer chunk, boolean last)
            throws IOException, InterruptedException;
}
