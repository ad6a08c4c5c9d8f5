package dev.drrs.runtime.message;

import dev.drrs.runtime.peer.PeerAddress;

/** To the reading end of a peer exchange; answered by {@link ReaderReady} once it is connected. */
public record OpenReader(PeerLink link, PeerAddress address) implements OfRescale {

    @Override
    public int rescale() {
        return link.rescale();
    }
}
