package dev.drrs.runtime.peer;

import dev.drrs.runtime.Causes;
import java.io.IOException;

/**
 * The exchange was closed before everything was delivered, by this end or by the other. Which of
 * the two tasks fails first is a matter of chance, so what either says has to name the cause.
 */
public class PeerClosedException extends IOException {

    private static final long serialVersionUID = 1L;

    /** {@code writeUTF} refuses more than 64 KiB. */
    private static final int MAX_CHARS = 1000;

    public PeerClosedException(String message) {
        super(message);
    }

    public PeerClosedException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Why an exchange is closed, for the task at its other end.
     *
     * @param failure null if its owner has closed it without one
     */
    static String reason(Throwable failure) {
        return failure == null ? "closed by its owner" : Causes.messages(failure);
    }

    /** A reason as it travels. */
    static String shortened(String reason) {
        return reason.length() <= MAX_CHARS ? reason : reason.substring(0, MAX_CHARS);
    }
}
