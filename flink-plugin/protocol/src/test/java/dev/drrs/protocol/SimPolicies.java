package dev.drrs.protocol;

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
