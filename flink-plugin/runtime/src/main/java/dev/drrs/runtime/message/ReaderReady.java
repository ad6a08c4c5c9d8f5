package dev.drrs.runtime.message;

/** Answer to {@link OpenReader}. */
public record ReaderReady(PeerLink link) implements OfRescale {

    @Override
    public int rescale() {
        return link.rescale();
    }
}
