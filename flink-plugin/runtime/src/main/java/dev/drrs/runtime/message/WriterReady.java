package dev.drrs.runtime.message;

import dev.drrs.runtime.peer.PeerAddress;

/** Answer to {@link OpenWriter}. */
public record WriterReady(PeerLink link, PeerAddress address) implements OfRescale {

    @Override
    public int rescale() {
        return link.rescale();
    }
}
