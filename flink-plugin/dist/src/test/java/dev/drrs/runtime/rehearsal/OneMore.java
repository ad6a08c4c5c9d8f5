package dev.drrs.runtime.rehearsal;

import java.time.Duration;
import java.util.List;

/** The rehearsals of a JVM that tests share. */
public final class OneMore {

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private OneMore() {}

    /** The next elastic job and its first task begin others. */
    public static void rehearsal() throws InterruptedException {
        Rehearsals.OF_TASKS.forget();
        Rehearsals.OF_COORDINATOR.forget();
    }

    /** One begins that waits for something that never comes; nothing else may be under way. */
    public static void thatWaits() {
        RehearsalPart waiting =
                stage -> {
                    stage.runUntil(() -> false);
                    return "never";
                };
        Rehearsal.Limits none = new Rehearsal.Limits(Duration.ZERO, FOR_EVER, FOR_EVER);
        Rehearsals.OF_TASKS.begin(new Rehearsal(() -> false, () -> List.of(waiting), none));
    }
}
