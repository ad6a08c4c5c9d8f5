package dev.drrs.protocol;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One subscale in a round, as the planner that comes with the public DRRS code starts them: of the
 * new owner with the fewest key groups, there of the old owner that has most to give it yet; no
 * subtask is in more than a set number of started ones. No state, any thread.
 *
 * @param roundMillis from one round to the next, at least 1
 * @param concurrency started subscales a subtask may be in at a time, at least 1
 */
record OneARound(long roundMillis, int concurrency) implements StartRule {

    OneARound {
        if (roundMillis < 1 || concurrency < 1) {
            throw new IllegalArgumentException(
                    "rounds of "
                            + roundMillis
                            + " ms with a subscale concurrency of "
                            + concurrency);
        }
    }

    @Override
    public boolean registers(Subscale next, Registered registered) {
        return true;
    }

    @Override
    public Subscale toStart(List<Subscale> ready, Running running) {
        Map<OwnerPair, Integer> left = new HashMap<>();
        ready.forEach(subscale -> left.merge(OwnerPair.of(subscale), 1, Integer::sum));
        return ready.stream()
                .filter(
                        s ->
                                running.started(s.oldOwner()) < concurrency
                                        && running.started(s.newOwner()) < concurrency)
                .min(
                        Comparator.comparing((Subscale s) -> running.keyGroups(s.newOwner()))
                                .thenComparing(s -> -left.get(OwnerPair.of(s))))
                .orElse(null);
    }
}
