package dev.drrs.protocol;

import java.util.Comparator;
import java.util.List;

/**
 * No subtask is in more than a set number of started subscales at a time; the new owner with the
 * fewest key groups comes first, then the order of the plan. Each pair of owners has twice as many
 * registered that are not settled, and two more: enough for the next one to be ready when another
 * has settled, and so few that a watermark costs owners the same however many are still to come. No
 * state, any thread.
 *
 * @param concurrency started subscales a subtask may be in at a time, at least 1
 */
record EmptiestOwnerFirst(int concurrency) implements StartRule {

    EmptiestOwnerFirst {
        if (concurrency < 1) {
            throw new IllegalArgumentException(
                    "subscale concurrency " + concurrency + " is below 1");
        }
    }

    /** How many of a pair of owners may be registered and not settled. */
    int window() {
        return 2 * (concurrency + 1);
    }

    @Override
    public boolean registers(Subscale next, Registered registered) {
        return registered.unsettled(next.oldOwner(), next.newOwner()) < window();
    }

    @Override
    public Subscale toStart(List<Subscale> ready, Running running) {
        return ready.stream()
                .filter(
                        s ->
                                running.started(s.oldOwner()) < concurrency
                                        && running.started(s.newOwner()) < concurrency)
                .min(Comparator.comparingInt(s -> running.keyGroups(s.newOwner())))
                .orElse(null);
    }
}
