package dev.drrs.runtime.rehearsal;

import java.time.Duration;
import java.util.List;

/** The rehearsal of a JVM that tests share. */
public final class OneMore {

    private static final Duration FOR_EVER = Duration.ofDays(1);

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
        Rehearsal.Limits none = new Rehearsal.Limits(Duration.ZERO, FOR_EVER, FOR_EVER);
        Rehearsals.begin(new Rehearsal(null, () -> List.of(waiting), none));
    }
}
