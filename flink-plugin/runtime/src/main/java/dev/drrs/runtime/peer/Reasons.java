package dev.drrs.runtime.peer;

/** Texts that travel in events: short, since {@code writeUTF} refuses more than 64 KiB. */
final class Reasons {

    private static final int MAX_CHARS = 1000;

    private Reasons() {}

    static String of(Throwable cause) {
        if (cause == null) {
            return "closed by its owner";
        }
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    static String shortened(String reason) {
        return reason.length() <= MAX_CHARS ? reason : reason.substring(0, MAX_CHARS);
    }
}
