package dev.drrs.protocol;

import java.util.Map;

/**
 * Generic on-the-fly scaling, as the DRRS paper (ICDE 2025) calls what it compares with: one
 * aligned barrier, then all state at once; nothing overtakes a record whose state is still to come.
 * As a subscale has one old and one new owner, the barrier is one for each pair of owners, and all
 * of them leave together.
 */
final class OtfsStrategy extends StrategyWithOptions {

    static final String NAME = "otfs";

    private static final NumberOptions OPTIONS = new NumberOptions(NAME, Map.of());

    OtfsStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                Units.PAIRS,
                new AllAtOnce(),
                new AlignedSignals(),
                PlanOrder.ALL_AT_ONCE,
                new InOrder(),
                CopyAhead.NONE);
    }
}
