package dev.drrs.runtime.peer;

import java.io.IOException;

/** The exchange was closed before everything was delivered, by this end or by the other. */
public class PeerClosedException extends IOException {

    private static final long serialVersionUID = 1L;

    public PeerClosedException(String message) {
        super(message);
    }

    public PeerClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
