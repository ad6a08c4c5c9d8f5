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

    private final boolean endOfTask;

    public PeerClosedException(String message) {
        this(message, false);
    }

    public PeerClosedException(String message, Throwable cause) {
        super(message, cause);
        endOfTask = false;
    }

    private PeerClosedException(String message, boolean endOfTask) {
        super(message);
        this.endOfTask = endOfTask;
    }

    /** One of the two has closed it without a failure, as its task has ended. */
    public static PeerClosedException endOfTask(String message) {
        return new PeerClosedException(message, true);
    }

    /** Whether its owner has closed it without a failure. */
    public boolean isEndOfTask() {
        return endOfTask;
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
