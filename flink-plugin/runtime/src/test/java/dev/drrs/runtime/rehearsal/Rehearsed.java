package dev.drrs.runtime.rehearsal;

import dev.drrs.runtime.peer.PeerNetwork;
import java.time.Duration;
import java.util.List;

/** A rehearsal of a test, from its begin to its end, at once and in the test's own time. */
public final class Rehearsed {

    private static final Duration LONG = Duration.ofHours(1);

    private final Rehearsal rehearsal;

    private Rehearsed(PeerNetwork network, Rehearsal.Limits limits, RehearsalPart... parts) {
        rehearsal = new Rehearsal(network, () -> List.of(parts), limits);
        rehearsal.start();
    }

    /** Begins at once. */
    public static Rehearsed of(PeerNetwork network, RehearsalPart... parts) {
        return new Rehearsed(network, new Rehearsal.Limits(Duration.ZERO, LONG, LONG), parts);
    }

    static Rehearsed within(
            Duration whole, Duration silence, PeerNetwork network, RehearsalPart... parts) {
        return new Rehearsed(network, new Rehearsal.Limits(Duration.ZERO, whole, silence), parts);
    }

    static Rehearsed afterQuiet(Duration quiet, PeerNetwork network, RehearsalPart... parts) {
        return new Rehearsed(network, new Rehearsal.Limits(quiet, LONG, LONG), parts);
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
