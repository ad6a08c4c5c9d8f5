package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * DRRS as its public code has it (github.com/floudk/DRRS, commit 2d7d367), to compare with: key
 * groups go where Flink's ranges put them, in subscales of half a pair of owners, one of which
 * starts in a second; a subscale's key groups come one after the other, a subtask stands while 200
 * records wait there, and what is re-routed travels once in a second. Where it differs all the same
 * is in docs/design.md.
 */
public final class ReferenceStrategy extends StrategyWithOptions {

    public static final String ROUND = "drrs.reference.round";
    public static final String SUBSCALE_CONCURRENCY = "drrs.reference.subscale-concurrency";
    public static final String SUBSCALE_KEY_GROUPS = "drrs.reference.subscale-key-groups";
    public static final String PULL_WINDOW = "drrs.reference.pull-window";
    public static final String SET_ASIDE_RECORDS = "drrs.reference.set-aside.records";
    public static final String REROUTE_BYTES = "drrs.reference.reroute.bytes";
    public static final String REROUTE_TIMEOUT = "drrs.reference.reroute.timeout";

    public static final long DEFAULT_ROUND = 1000;
    public static final int DEFAULT_SUBSCALE_CONCURRENCY = 2;
    public static final int DEFAULT_SUBSCALE_KEY_GROUPS = 7;
    public static final int DEFAULT_PULL_WINDOW = 1;
    public static final long DEFAULT_SET_ASIDE_RECORDS = 200;
    public static final long DEFAULT_REROUTE_BYTES = 1 << 20;
    public static final long DEFAULT_REROUTE_TIMEOUT = 1000;

    static final String NAME = "reference";

    private static final long DAY = 86_400_000;

    private static final NumberOptions OPTIONS =
            new NumberOptions(
                    NAME,
                    Map.of(
                            ROUND,
                            new Option(1, DAY, DEFAULT_ROUND),
                            SUBSCALE_CONCURRENCY,
                            new Option(1, 1024, DEFAULT_SUBSCALE_CONCURRENCY),
                            SUBSCALE_KEY_GROUPS,
                            new Option(1, 32768, DEFAULT_SUBSCALE_KEY_GROUPS),
                            PULL_WINDOW,
                            new Option(1, 32768, DEFAULT_PULL_WINDOW),
                            SET_ASIDE_RECORDS,
                            new Option(1, Long.MAX_VALUE, DEFAULT_SET_ASIDE_RECORDS),
                            REROUTE_BYTES,
                            Option.bytes(DEFAULT_REROUTE_BYTES),
                            REROUTE_TIMEOUT,
                            new Option(1, DAY, DEFAULT_REROUTE_TIMEOUT)));

    ReferenceStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                new RangeHalves(values.get(SUBSCALE_KEY_GROUPS).intValue()),
                new OneARound(values.get(ROUND), values.get(SUBSCALE_CONCURRENCY).intValue()),
                new DirectSignals(
                        new RerouteBatch(values.get(REROUTE_BYTES), values.get(REROUTE_TIMEOUT))),
                new PlanOrder(values.get(PULL_WINDOW).intValue()),
                new Suspension(values.get(SET_ASIDE_RECORDS)),
                CopyAhead.NONE);
    }
}
