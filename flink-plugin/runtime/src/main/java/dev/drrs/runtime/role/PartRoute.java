package dev.drrs.runtime.role;

import dev.drrs.runtime.peer.PeerWriter;
import dev.drrs.runtime.state.ChunkSink;
import java.io.IOException;

/** How the state of a part goes to the new owner that has asked for it. Transfer thread. */
interface PartRoute {

    /** One part on its way; closed in any case, also when it cannot be sent. */
    interface Part extends ChunkSink, AutoCloseable {

        /** The last chunk has been accepted. */
        default void complete() throws IOException {}

        @Override
        default void close() {}
    }

    /**
     * @param to the new owner's exchange
     * @throws IOException from the storage
     */
    Part begin(PeerCodec.Pull pull, PeerWriter to) throws IOException;
}
