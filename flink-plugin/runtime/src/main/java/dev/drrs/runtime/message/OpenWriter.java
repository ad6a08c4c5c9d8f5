package dev.drrs.runtime.message;

/** To the writing end of a peer exchange; answered by {@link WriterReady}. */
public record OpenWriter(PeerLink link) implements OfRescale {

    @Override
    public int rescale() {
        return link.rescale();
    }
}
