package dev.drrs.protocol;

import static dev.drrs.protocol.Violation.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many subscales of one rescale the owners take part in: no more than the strategy allows, and
 * each until it has settled or, with copies ahead, until its key groups are installed.
 */
final class SimSlots {

    private final Simulation sim;
    private final int limit;
    private final int warmUp;
    private final int onNode;

    /** By subtask: those it is through with, as far as the coordinator knows. */
    private final Map<Integer, Integer> through = new HashMap<>();

    /** Started, and their owners are told of no end. */
    private final Map<Integer, Subscale> taken = new HashMap<>();

    /** Those that are installed and not settled. */
    private final Map<Integer, Subscale> installed = new HashMap<>();

    /** By subtask: slots that a deliberate bug has freed. */
    private final Map<Integer, Integer> freedOnceMore = new HashMap<>();

    SimSlots(Simulation sim) {
        this.sim = sim;
        limit = limitOf(sim.policies.startRule());
        warmUp =
                sim.policies.startRule() instanceof EmptiestOwnerFirst emptiest
                        ? emptiest.warmUp()
                        : 0;
        onNode =
                sim.policies.startRule() instanceof EmptiestOwnerFirst emptiest
                        ? emptiest.onNode()
                        : Integer.MAX_VALUE;
    }

    /** Two nodes, each with every other subtask. */
    static int nodeOf(int subtask) {
        return subtask % 2;
    }

    private static int limitOf(StartRule rule) {
        if (rule instanceof EmptiestOwnerFirst emptiest) {
            return emptiest.concurrency();
        }
        if (rule instanceof OneARound rounds) {
            return rounds.concurrency();
        }
        return rule instanceof AllAtOnce || rule instanceof GradualSteps ? Integer.MAX_VALUE : 1;
    }

    void start(Subscale s) {
        for (int owner : new int[] {s.oldOwner(), s.newOwner()}) {
            long others = taken.values().stream().filter(t -> isIn(owner, t)).count();
            boolean warm = through.getOrDefault(owner, 0) >= warmUp;
            int most = warm ? limit : 1;
            check(others < most, "subtask " + owner + " is in more than " + most + " subscales");
            if (others > 0 && warmUp > 0) {
                sim.saw("started beside another when warm");
            }
            if (installed.values().stream().anyMatch(t -> isIn(owner, t))) {
                sim.saw("started when another was installed");
            }
            long beside =
                    taken.values().stream()
                            .filter(
                                    t ->
                                            nodeOf(t.oldOwner()) == nodeOf(owner)
                                                    || nodeOf(t.newOwner()) == nodeOf(owner))
                            .count();
            check(
                    beside < onNode,
                    "the node of subtask " + owner + " has more than " + onNode + " subscales");
        }
        taken.put(s.id(), s);
    }

    private static boolean isIn(int owner, Subscale s) {
        return s.oldOwner() == owner || s.newOwner() == owner;
    }

    /** And has not settled, as far as the coordinator knows. */
    boolean isInstalled(int subscale) {
        return installed.containsKey(subscale);
    }

    /** The coordinator hears of it next. */
    void reported(GateReport report) {
        if (report instanceof GateReport.Installed && taken.containsKey(report.subscale())) {
            Subscale s = taken.remove(report.subscale());
            isThrough(s);
            installed.put(s.id(), s);
            if (sim.mutated(Mutation.SLOT_FREED_TWICE)) {
                freeOnceMore(s);
            }
        } else if (report instanceof GateReport.Settled) {
            isThrough(taken.remove(report.subscale()));
            Subscale s = installed.remove(report.subscale());
            if (s != null && sim.mutated(Mutation.SLOT_FREED_AGAIN)) {
                freeOnceMore(s);
            }
        }
    }

    /** Null if the owners have been before. */
    private void isThrough(Subscale s) {
        if (s != null) {
            through.merge(s.oldOwner(), 1, Integer::sum);
            through.merge(s.newOwner(), 1, Integer::sum);
        }
    }

    private void freeOnceMore(Subscale s) {
        freedOnceMore.merge(s.oldOwner(), 1, Integer::sum);
        freedOnceMore.merge(s.newOwner(), 1, Integer::sum);
    }

    /** The rule as it is, or with a deliberate bug. */
    StartRule counted(StartRule rule) {
        if (rule instanceof EmptiestOwnerFirst emptiest && sim.mutated(Mutation.NO_WARM_UP)) {
            return new EmptiestOwnerFirst(emptiest.concurrency(), 0, emptiest.onNode());
        }
        if (rule instanceof EmptiestOwnerFirst emptiest && sim.mutated(Mutation.NODE_FORGOTTEN)) {
            return new EmptiestOwnerFirst(emptiest.concurrency(), emptiest.warmUp(), 1024);
        }
        boolean mutated =
                sim.mutated(Mutation.SLOT_FREED_TWICE)
                        || sim.mutated(Mutation.SLOT_FREED_AGAIN)
                        || sim.mutated(Mutation.WARM_TOGETHER);
        return mutated ? new Miscounting(rule) : rule;
    }

    private int mostThrough() {
        return through.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    private final class Miscounting implements StartRule {
        private final StartRule rule;

        Miscounting(StartRule rule) {
            this.rule = rule;
        }

        @Override
        public boolean registers(Subscale next, Registered registered) {
            return rule.registers(next, registered);
        }

        @Override
        public long roundMillis() {
            return rule.roundMillis();
        }

        @Override
        public Subscale toStart(List<Subscale> ready, Running running) {
            return rule.toStart(
                    ready,
                    new Running() {
                        @Override
                        public int started(int subtask) {
                            return running.started(subtask)
                                    - freedOnceMore.getOrDefault(subtask, 0);
                        }

                        @Override
                        public int startedOnNode(int subtask) {
                            return running.startedOnNode(subtask);
                        }

                        @Override
                        public int left(int subtask) {
                            return sim.mutated(Mutation.WARM_TOGETHER)
                                    ? mostThrough()
                                    : running.left(subtask);
                        }

                        @Override
                        public int keyGroups(int subtask) {
                            return running.keyGroups(subtask);
                        }

                        @Override
                        public int unready() {
                            return running.unready();
                        }
                    });
        }
    }
}
