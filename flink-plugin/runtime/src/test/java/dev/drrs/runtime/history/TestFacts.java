package dev.drrs.runtime.history;

import dev.drrs.protocol.Migration.Progress;
import dev.drrs.protocol.Phase;
import dev.drrs.protocol.RescaleLifecycle.Entered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rescales as they may stand, at {@link #NOW}. */
public final class TestFacts {

    public static final long START = 1_700_000_000_000L;
    public static final long NOW = START + 10_000;

    private TestFacts() {}

    /** For one operator: key groups move, 10 of 64 have. */
    public static Facts migrating() {
        return new Facts(
                "r1",
                "drrs",
                "load",
                Phase.MIGRATING,
                START,
                phases(Phase.PROVISIONING, Phase.MIGRATING),
                List.of(
                        part(
                                "count",
                                Phase.MIGRATING,
                                phases(Phase.PROVISIONING, Phase.MIGRATING))),
                List.of());
    }

    /** For two operators: one is moved, the other one waits for its turn. */
    public static Facts ofSeveral() {
        return new Facts(
                "r2",
                "drrs",
                null,
                Phase.MIGRATING,
                START,
                phases(Phase.PROVISIONING, Phase.MIGRATING),
                List.of(
                        part(
                                "count",
                                Phase.COMPLETED,
                                phases(
                                        Phase.PROVISIONING,
                                        Phase.MIGRATING,
                                        Phase.RETIRING,
                                        Phase.COMPLETED)),
                        new Facts.Part(
                                "b".repeat(32),
                                "total",
                                Phase.PLANNED,
                                2,
                                3,
                                42,
                                new Progress(0, 42, 0, 0, 4, 0, 0, 0, 0),
                                0,
                                0,
                                -1,
                                phases(),
                                Map.of(),
                                Map.of(),
                                Facts.Waits.NONE,
                                List.of(),
                                List.of(),
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0)),
                List.of());
    }

    /** Entered one second after the other. */
    private static List<Entered> phases(Phase... behindPlanned) {
        List<Entered> phases = new ArrayList<>(List.of(new Entered(Phase.PLANNED, START, null)));
        for (Phase phase : behindPlanned) {
            phases.add(new Entered(phase, START + 1000L * phases.size(), null));
        }
        return phases;
    }

    private static Facts.Part part(String name, Phase phase, List<Entered> phases) {
        return new Facts.Part(
                "a".repeat(32),
                name,
                phase,
                2,
                4,
                64,
                new Progress(10, 64, 2, 3, 8, 5, 7, 0, 9),
                10,
                1000,
                phase == Phase.MIGRATING ? START + 2000 : -1,
                phases,
                Map.of(0, 0L, 2, 14L),
                Map.of(0, 3L),
                new Facts.Waits(
                        new Facts.Wait(3, 75, 40),
                        new Facts.Wait(3, 6, 4),
                        new Facts.Wait(5, 900, 350),
                        new Facts.Wait(10, 200, 32)),
                List.of(new Facts.Mails("Start", 8, 900, 1100)),
                List.of(new Facts.Pauses("tm-1", 3, 120, 85)),
                321,
                450,
                1200,
                1000,
                500,
                10,
                1.5e8);
    }
}
