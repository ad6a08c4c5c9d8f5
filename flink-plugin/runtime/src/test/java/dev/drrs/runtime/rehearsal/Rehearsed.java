package dev.drrs.runtime.rehearsal;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A rehearsal of a test, from its begin to its end, at once and in the test's own time. */
public final class Rehearsed {

    private static final Duration LONG = Duration.ofHours(1);

    private final Rehearsal rehearsal;

    private Rehearsed(BooleanSupplier closing, Rehearsal.Limits limits, RehearsalPart... parts) {
        rehearsal = new Rehearsal(closing, () -> List.of(parts), limits);
        rehearsal.start();
    }

    /** Begins at once. */
    public static Rehearsed of(RehearsalPart... parts) {
        return within(LONG, LONG, parts);
    }

    /** As {@link #of}, in a process that shuts down. */
    static Rehearsed whileClosing(RehearsalPart... parts) {
        return new Rehearsed(() -> true, new Rehearsal.Limits(Duration.ZERO, LONG, LONG), parts);
    }

    static Rehearsed within(Duration whole, Duration silence, RehearsalPart... parts) {
        return new Rehearsed(
                () -> false, new Rehearsal.Limits(Duration.ZERO, whole, silence), parts);
    }

    static Rehearsed afterQuiet(Duration quiet, RehearsalPart... parts) {
        return new Rehearsed(() -> false, new Rehearsal.Limits(quiet, LONG, LONG), parts);
    }

    Rehearsal rehearsal() {
        return rehearsal;
    }

    /** Its status at its end. */
    public String ended() throws InterruptedException {
        rehearsal.join();
        return rehearsal.status();
    }
}
