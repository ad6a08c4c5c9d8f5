package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks a plan against the present placement. Finds all faults, not just the first. */
public final class PlanValidator {

    /** A key group has no place, or its move is missing. */
    public static final String PLAN_INCOMPLETE = "PLAN_INCOMPLETE";

    /** The plan contradicts itself, the present placement, or the wanted parallelism. */
    public static final String PLAN_INVALID = "PLAN_INVALID";

    /** Key groups named in a sentence; of more only the number is given. */
    private static final int NAMED = 8;

    private PlanValidator() {}

    /**
     * @param present key group to subtask, as of now
     * @param parallelism how many different owners the placement has to have
     * @param ceiling owners are 0 to ceiling - 1
     * @return all faults, none if the plan may be executed
     */
    public static List<PlanFault> validate(int[] present, int parallelism, int ceiling, Plan plan) {
        List<PlanFault> faults = new ArrayList<>();
        int keyGroups = present.length;
        int[] target = plan.placement();
        if (target.length < keyGroups) {
            faults.add(
                    new PlanFault(
                            PLAN_INCOMPLETE,
                            "The placement covers "
                                    + target.length
                                    + " of "
                                    + keyGroups
                                    + " key groups; give one subtask for each."));
        } else if (target.length > keyGroups) {
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            "The placement has "
                                    + target.length
                                    + " entries, the operator has "
                                    + keyGroups
                                    + " key groups."));
        }
        checkOwners(target, parallelism, ceiling, faults);
        int[] moves = new int[keyGroups];
        for (int i = 0; i < plan.moves().size(); i++) {
            checkMove(i, plan.moves().get(i), present, target, moves, faults);
        }
        List<Integer> twice = new ArrayList<>();
        List<Integer> missing = new ArrayList<>();
        for (int g = 0; g < keyGroups; g++) {
            if (moves[g] > 1) {
                twice.add(g);
            }
            if (moves[g] == 0 && g < target.length && target[g] != present[g]) {
                missing.add(g);
            }
        }
        if (!twice.isEmpty()) {
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            named(twice)
                                    + " moved more than once; each may be in one subscale only."));
        }
        if (!missing.isEmpty()) {
            faults.add(
                    new PlanFault(
                            PLAN_INCOMPLETE,
                            named(missing) + " placed elsewhere than now but in no subscale."));
        }
        return faults;
    }

    private static void checkOwners(
            int[] target, int parallelism, int ceiling, List<PlanFault> faults) {
        Set<Integer> owners = new TreeSet<>();
        List<Integer> outside = new ArrayList<>();
        for (int g = 0; g < target.length; g++) {
            if (target[g] < 0 || target[g] >= ceiling) {
                outside.add(g);
            } else {
                owners.add(target[g]);
            }
        }
        if (!outside.isEmpty()) {
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            named(outside)
                                    + " placed on subtasks outside 0 to "
                                    + (ceiling - 1)
                                    + ", the first on "
                                    + target[outside.get(0)]
                                    + "."));
        } else if (owners.size() != parallelism) {
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            "The placement uses "
                                    + owners.size()
                                    + " subtasks, the wanted parallelism is "
                                    + parallelism
                                    + "."));
        }
    }

    private static void checkMove(
            int index,
            Plan.Move move,
            int[] present,
            int[] target,
            int[] moves,
            List<PlanFault> faults) {
        String subscale = "Subscale " + index + " (from " + move.from() + " to " + move.to() + ")";
        if (move.keyGroups().length == 0) {
            faults.add(new PlanFault(PLAN_INVALID, subscale + " has no key groups."));
        }
        if (move.from() == move.to()) {
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            subscale + " moves nothing: both ends are the same subtask."));
        }
        List<Integer> unknown = new ArrayList<>();
        List<Integer> wrongFrom = new ArrayList<>();
        List<Integer> wrongTo = new ArrayList<>();
        for (int g : move.keyGroups()) {
            if (g < 0 || g >= present.length) {
                unknown.add(g);
                continue;
            }
            moves[g]++;
            if (present[g] != move.from()) {
                wrongFrom.add(g);
            }
            if (g < target.length && target[g] != move.to()) {
                wrongTo.add(g);
            }
        }
        if (!unknown.isEmpty()) {
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            subscale
                                    + ": "
                                    + named(unknown)
                                    + " outside 0 to "
                                    + (present.length - 1)
                                    + "."));
        }
        if (!wrongFrom.isEmpty()) {
            int g = wrongFrom.get(0);
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            subscale
                                    + ": "
                                    + named(wrongFrom)
                                    + " not on subtask "
                                    + move.from()
                                    + ", the first is on "
                                    + present[g]
                                    + "."));
        }
        if (!wrongTo.isEmpty()) {
            int g = wrongTo.get(0);
            faults.add(
                    new PlanFault(
                            PLAN_INVALID,
                            subscale
                                    + ": "
                                    + named(wrongTo)
                                    + " placed elsewhere by the placement, the first on "
                                    + target[g]
                                    + "."));
        }
    }

    /** "key group 3 is", "key groups 1, 2 are", "12 key groups (1, 2, ..) are". */
    private static String named(List<Integer> keyGroups) {
        if (keyGroups.size() == 1) {
            return "Key group " + keyGroups.get(0) + " is";
        }
        String list =
                keyGroups.stream()
                        .limit(NAMED)
                        .map(String::valueOf)
                        .collect(Collectors.joining(", "));
        return keyGroups.size() <= NAMED
                ? "Key groups " + list + " are"
                : keyGroups.size() + " key groups (" + list + ", ..) are";
    }
}
