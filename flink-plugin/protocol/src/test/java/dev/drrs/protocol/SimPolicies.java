package dev.drrs.protocol;

import java.util.List;
import java.util.Map;

/** Policies of {@code drrs} with some of its options. */
final class SimPolicies {

    private SimPolicies() {}

    static SubtaskGate<String> gate(
            int index, EventClock clock, Policies policies, RecordingEffects effects) {
        SubtaskGate<String> gate = new SubtaskGate<>(index, clock, effects);
        gate.configure(policies);
        return gate;
    }

    /**
     * Registers a subscale at its new owner, whose old owner has detached with event time at 10.
     */
    static void detachedAt10(SubtaskGate<String> gate, Subscale subscale) {
        gate.register(subscale);
        Valve old = new Valve(2);
        old.watermark(0, 10);
        old.watermark(1, 10);
        gate.onPeer(new PeerElement.ValveCopy<>(subscale.id(), old.toLongs()));
        gate.onPeer(new PeerElement.Detached<>(subscale.id(), new long[0], new int[0]));
    }

    static Policies of(SetAsideLimit limit, int pullWindow) {
        return new DrrsStrategy()
                .policies(
                        Map.of(
                                DrrsStrategy.SET_ASIDE_RECORDS, "" + limit.records(),
                                DrrsStrategy.SET_ASIDE_BYTES, "" + limit.bytes(),
                                DrrsStrategy.PULL_WINDOW, "" + pullWindow));
    }

    static Policies of(CopyAhead copyAhead) {
        Policies drrs = new DrrsStrategy().policies(Map.of());
        return new Policies(
                drrs.units(),
                drrs.startRule(),
                drrs.signals(),
                drrs.pullOrder(),
                drrs.waitRule(),
                copyAhead);
    }

    /** The rule as it is, or with a deliberate bug. */
    static StartRule mutated(StartRule rule, Mutation mutation) {
        if (mutation == Mutation.STARTS_AS_DRRS) {
            return new EmptiestOwnerFirst(99, 0, 1024);
        }
        if (mutation != Mutation.STEP_TOO_SOON && mutation != Mutation.STEP_IN_PIECES) {
            return rule;
        }
        return new StartRule() {
            @Override
            public boolean registers(Subscale next, Registered registered) {
                return mutation == Mutation.STEP_TOO_SOON && registered.keyGroupsOver() > 0
                        || rule.registers(next, registered);
            }

            @Override
            public Subscale toStart(List<Subscale> ready, Running running) {
                return mutation == Mutation.STEP_IN_PIECES
                        ? ready.get(0)
                        : rule.toStart(ready, running);
            }
        };
    }

    /** The order as it is, or with a deliberate bug. */
    static PullOrder mutated(PullOrder order, Mutation mutation) {
        if (order instanceof OnFirstAccess lazy) {
            return mutated(lazy, mutation);
        }
        if (mutation == Mutation.DEMAND_UNHEARD) {
            return inBins(new PlanOrder(order.window()), order.bins());
        }
        if (mutation == Mutation.BINS_IN_PLAN_ORDER) {
            return inPlanOrder(order);
        }
        if (mutation == Mutation.BACKGROUND_FIRST) {
            return new FetchOnDemand(99, order.bins());
        }
        return mutation == Mutation.DEMAND_WAITS_FOR_WINDOW
                ? inBins(new HottestFirst(order.window(), BinsBySize.NONE), order.bins())
                : order;
    }

    private static PullOrder mutated(OnFirstAccess order, Mutation mutation) {
        if (mutation == Mutation.FETCHED_UNASKED) {
            return new OnFirstAccess(order.needed(), true);
        }
        boolean toRecords = mutation == Mutation.ONLY_AT_HAND;
        return toRecords || mutation == Mutation.DUE_UNHEARD ? new Deaf(order, toRecords) : order;
    }

    /** A deliberate bug: something that needs state demands nothing. */
    private record Deaf(OnFirstAccess order, boolean toRecordsBehind) implements PullOrder {
        @Override
        public int window() {
            return order.window();
        }

        @Override
        public int windowForTheRest() {
            return order.windowForTheRest();
        }

        @Override
        public int bins() {
            return order.bins();
        }

        @Override
        public boolean heedsTimers() {
            return true;
        }

        @Override
        public int demanded(Missing missing) {
            int first = missing.atHand();
            if (first >= 0) {
                return first;
            }
            return toRecordsBehind ? missing.firstDue() : missing.firstAwaited();
        }

        @Override
        public int next(Missing missing) {
            return order.next(missing);
        }
    }

    private static PullOrder inBins(PullOrder order, int bins) {
        return new PullOrder() {
            @Override
            public int window() {
                return order.window();
            }

            @Override
            public int bins() {
                return bins;
            }

            @Override
            public int next(Missing missing) {
                return order.next(missing);
            }
        };
    }

    private static PullOrder inPlanOrder(PullOrder order) {
        return new PullOrder() {
            @Override
            public int window() {
                return order.window();
            }

            @Override
            public BinsBySize binsBySize() {
                return order.binsBySize();
            }

            @Override
            public int next(Missing missing) {
                return missing.firstOfPlan();
            }
        };
    }

    static Policies of(StartRule startRule) {
        return with(new DrrsStrategy().policies(Map.of()), startRule);
    }

    static Policies with(Policies policies, StartRule startRule) {
        return new Policies(
                policies.units(),
                startRule,
                policies.signals(),
                policies.pullOrder(),
                policies.waitRule(),
                policies.copyAhead());
    }

    static Policies of(Signals signals) {
        Policies drrs = new DrrsStrategy().policies(Map.of());
        return new Policies(
                drrs.units(),
                drrs.startRule(),
                signals,
                drrs.pullOrder(),
                drrs.waitRule(),
                drrs.copyAhead());
    }
}
