package dev.drrs.protocol;

import java.util.Comparator;
import java.util.List;

/**
 * All subscales are registered first. Then no subtask is in more than a set number of started ones
 * at a time; the new owner with the fewest key groups comes first, then the order of the plan. No
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

    @Override
    public List<Subscale> toRegister(List<Subscale> planned, int open) {
        return planned;
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
