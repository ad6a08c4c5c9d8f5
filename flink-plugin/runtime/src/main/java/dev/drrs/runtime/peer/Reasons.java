package dev.drrs.runtime.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Why an exchange is closed, for the task at its other end: which of the two tasks fails first is a
 * matter of chance, and what either says has to name the cause. Short, since {@code writeUTF}
 * refuses more than 64 KiB.
 */
final class Reasons {

    private static final int MAX_CHARS = 1000;

    private Reasons() {}

    /** The messages of a failure and of its causes, the outermost first, in one line. */
    static String of(Throwable failure) {
        if (failure == null) {
            return "closed by its owner";
        }
        List<String> messages = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable cause = failure;
                cause != null && seen.add(cause);
                cause = cause.getCause()) {
            String message = text(cause);
            // An exception that is made of its cause alone repeats it.
            if (messages.isEmpty() || !messages.get(messages.size() - 1).endsWith(message)) {
                messages.add(message);
            }
        }
        return String.join(": ", messages);
    }

    private static String text(Throwable cause) {
        String message = cause.getMessage();
        return message == null || message.isBlank()
                ? cause.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }

    static String shortened(String reason) {
        return reason.length() <= MAX_CHARS ? reason : reason.substring(0, MAX_CHARS);
    }
}
