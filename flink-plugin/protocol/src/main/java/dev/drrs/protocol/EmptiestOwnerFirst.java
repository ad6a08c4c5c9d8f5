package dev.drrs.protocol;

import java.util.Comparator;
import java.util.List;

/**
 * No subtask is in more than a set number of started subscales at a time, and no node has more than
 * another one: those share its cores, and a record waits the longer the more there are. The new
 * owner with the fewest key groups comes first, then the order of the plan. The first ones of each
 * subtask come one after the other: they meet code that has not run yet, and those that do so
 * together take each as long as all of them. Each pair of owners has twice as many registered that
 * are not settled, and two more: enough for the next one to be ready when another has settled, and
 * so few that a watermark costs owners the same however many are still to come. They are registered
 * several at a time, when half of them have settled: what goes to an owner together is one message.
 * No state, any thread.
 *
 * @param concurrency started subscales a subtask may be in at a time, at least 1
 * @param warmUp how many subscales a subtask has to be through with before it may be in several, 0
 *     or more
 * @param onNode started subscales that may have an owner on one node at a time, at least 1
 */
record EmptiestOwnerFirst(int concurrency, int warmUp, int onNode) implements StartRule {

    EmptiestOwnerFirst {
        if (concurrency < 1 || warmUp < 0 || onNode < 1) {
            throw new IllegalArgumentException(
                    "subscale concurrency "
                            + concurrency
                            + ", warm-up "
                            + warmUp
                            + ", node concurrency "
                            + onNode);
        }
    }

    /** How many of a pair of owners may be registered and not settled. */
    int window() {
        return 2 * (concurrency + 1);
    }

    @Override
    public boolean registers(Subscale next, Registered registered) {
        int unsettled = registered.unsettled(next.oldOwner(), next.newOwner());
        boolean begun = registered.now(next.oldOwner(), next.newOwner()) > 0;
        return unsettled < (begun ? window() : window() / 2 + 1);
    }

    @Override
    public Subscale toStart(List<Subscale> ready, Running running) {
        return ready.stream()
                .filter(s -> hasRoom(s.oldOwner(), running) && hasRoom(s.newOwner(), running))
                .min(Comparator.comparingInt(s -> running.keyGroups(s.newOwner())))
                .orElse(null);
    }

    private boolean hasRoom(int subtask, Running running) {
        int most = running.left(subtask) < warmUp ? 1 : concurrency;
        return running.started(subtask) < most && running.startedOnNode(subtask) < onNode;
    }
}
