package dev.drrs.protocol;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Generic on-the-fly scaling, as the DRRS paper (ICDE 2025) calls what it compares with: one
 * aligned barrier, then all state at once; nothing overtakes a record whose state is still to come.
 * As a subscale has one old and one new owner, the barrier is one for each pair of owners, and all
 * of them leave together.
 */
final class OtfsStrategy implements Strategy {

    static final String NAME = "otfs";

    private static final NumberOptions OPTIONS = new NumberOptions(NAME, Map.of());

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> optionNames() {
        return OPTIONS.names();
    }

    @Override
    public List<PlanFault> check(Map<String, String> options) {
        return OPTIONS.check(options);
    }

    @Override
    public Policies policies(Map<String, String> options) {
        OPTIONS.values(options);
        return new Policies(
                Units.PAIRS,
                new AllAtOnce(),
                new AlignedSignals(),
                PlanOrder.ALL_AT_ONCE,
                new InOrder(),
                CopyAhead.NONE);
    }
}
