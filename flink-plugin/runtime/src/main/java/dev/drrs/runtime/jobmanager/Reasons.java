package dev.drrs.runtime.jobmanager;

import org.apache.flink.util.ExceptionUtils;

/** Failures in words for people. */
final class Reasons {

    private Reasons() {}

    /** The innermost message of a failure, in one line. */
    static String of(Throwable failure) {
        Throwable cause = ExceptionUtils.stripCompletionException(failure);
        while (cause.getCause() != null && cause.getCause().getMessage() != null) {
            cause = cause.getCause();
        }
        String message =
                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return message.lines().findFirst().orElse(message);
    }
}
