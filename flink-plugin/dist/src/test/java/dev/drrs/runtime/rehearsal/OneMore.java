package dev.drrs.runtime.rehearsal;

import java.util.List;

/** The rehearsal of a JVM that tests share. */
public final class OneMore {

    private OneMore() {}

    /** The next task of an elastic job begins another one. */
    public static void rehearsal() throws InterruptedException {
        Rehearsals.forget();
    }

    /** One begins that waits for something that never comes; nothing else may be under way. */
    public static void thatWaits() {
        RehearsalPart waiting =
                stage -> {
                    stage.runUntil(() -> false);
                    return "never";
                };
        Rehearsals.started(null, () -> List.of(waiting));
    }
}
