package dev.drrs.protocol;

import dev.drrs.protocol.Plan.Move;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Steps of a set number of key groups, in their order, whoever their owners are; a step has a
 * subscale for each pair of owners in it. All of them start in the same moment, when the last one
 * is ready, and the next step is not even registered before all of this one have settled. No state,
 * any thread.
 *
 * @param keyGroups of a step, at least 1; the last one has the rest
 */
record GradualSteps(int keyGroups) implements Units, StartRule {

    GradualSteps {
        if (keyGroups < 1) {
            throw new IllegalArgumentException("a step of " + keyGroups + " key groups");
        }
    }

    @Override
    public List<Move> divide(int[] present, int[] target, KeyGroupLoad load) {
        List<Move> moves = new ArrayList<>();
        Map<OwnerPair, List<Integer>> step = new LinkedHashMap<>();
        int inStep = 0;
        for (int keyGroup = 0; keyGroup < present.length; keyGroup++) {
            if (present[keyGroup] == target[keyGroup]) {
                continue;
            }
            OwnerPair pair = new OwnerPair(present[keyGroup], target[keyGroup]);
            step.computeIfAbsent(pair, p -> new ArrayList<>()).add(keyGroup);
            if (++inStep == keyGroups) {
                close(step, moves);
                inStep = 0;
            }
        }
        close(step, moves);
        return moves;
    }

    private static void close(Map<OwnerPair, List<Integer>> step, List<Move> moves) {
        step.forEach((pair, some) -> moves.add(pair.move(some)));
        step.clear();
    }

    /**
     * All that is in front of its step has to be over. What an abort moves back stands behind the
     * plan and need not fill steps: then some of it may go sooner.
     */
    @Override
    public boolean registers(Subscale next, Registered registered) {
        long before = registered.keyGroupsBefore(next);
        return registered.keyGroupsOver() >= before - before % keyGroups;
    }

    @Override
    public Subscale toStart(List<Subscale> ready, Running running) {
        return running.unready() == 0 ? ready.get(0) : null;
    }
}
