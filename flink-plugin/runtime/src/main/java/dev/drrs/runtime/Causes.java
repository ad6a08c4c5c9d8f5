package dev.drrs.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.flink.util.ExceptionUtils;

/** Why something failed, in words for people. None of these is null. Any thread. */
public final class Causes {

    private Causes() {}

    /** The cause of all others; the failure itself if it has none. */
    public static Throwable innermost(Throwable failure) {
        List<Throwable> all = all(failure);
        return all.get(all.size() - 1);
    }

    /** What the innermost cause says that says something, one line. */
    public static String message(Throwable failure) {
        Throwable said = null;
        for (Throwable cause : all(ExceptionUtils.stripCompletionException(failure))) {
            if (said != null && cause.getMessage() == null) {
                break;
            }
            said = cause;
        }
        return firstLine(said);
    }

    /** What a failure and its causes say, the outermost first, in one line. */
    public static String messages(Throwable failure) {
        List<String> messages = new ArrayList<>();
        for (Throwable cause : all(failure)) {
            String message = firstLine(cause);
            // An exception that is made of its cause alone repeats it.
            if (messages.isEmpty() || !messages.get(messages.size() - 1).endsWith(message)) {
                messages.add(message);
            }
        }
        return String.join(": ", messages);
    }

    /** A failure and its causes, the outermost first; ends where they go in a circle. */
    private static List<Throwable> all(Throwable failure) {
        List<Throwable> all = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable cause = failure;
                cause != null && seen.add(cause);
                cause = cause.getCause()) {
            all.add(cause);
        }
        return all;
    }

    private static String firstLine(Throwable cause) {
        String message = cause.getMessage();
        return message == null || message.isBlank()
                ? cause.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
