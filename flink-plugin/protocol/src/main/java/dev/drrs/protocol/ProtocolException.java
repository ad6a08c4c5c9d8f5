package dev.drrs.protocol;

/** A message that fits no state: the task cannot go on, a failover has to put it right. */
public final class ProtocolException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }
}
