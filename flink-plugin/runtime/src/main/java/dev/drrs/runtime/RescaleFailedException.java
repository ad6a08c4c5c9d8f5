package dev.drrs.runtime;

import org.apache.flink.util.FlinkException;

/**
 * A rescale fails a task: state that cannot be moved, an exchange that broke. The job goes back to
 * its last checkpoint, and that does not count as one of the restarts that its restart strategy
 * allows.
 */
public final class RescaleFailedException extends FlinkException {

    private static final long serialVersionUID = 1L;

    public RescaleFailedException(String message) {
        super(message);
    }

    public RescaleFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
