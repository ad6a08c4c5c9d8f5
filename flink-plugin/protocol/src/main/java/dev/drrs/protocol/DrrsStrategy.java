package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * Decoupled signals, re-routing, record scheduling with a bounded set-aside, concurrent subscales,
 * key groups pulled hottest first, large ones in bins; if wanted, a copy of their state goes ahead
 * of them. Each of the three mechanisms of the DRRS paper (ICDE 2025) can be left out, as in its
 * ablation.
 */
public final class DrrsStrategy extends StrategyWithOptions {

    public static final String SUBSCALE_CONCURRENCY = "drrs.strategy.subscale-concurrency";
    public static final String SUBSCALE_KEY_GROUPS = "drrs.strategy.subscale-key-groups";
    public static final String NODE_CONCURRENCY = "drrs.strategy.node-concurrency";
    public static final String WARM_UP = "drrs.strategy.warm-up";
    public static final String PULL_WINDOW = "drrs.strategy.pull-window";
    public static final String SET_ASIDE_RECORDS = "drrs.strategy.set-aside.records";
    public static final String SET_ASIDE_BYTES = "drrs.strategy.set-aside.bytes";
    public static final String DECOUPLING = "drrs.strategy.decoupling";
    public static final String RECORD_SCHEDULING = "drrs.strategy.record-scheduling";
    public static final String SUBSCALE_DIVISION = "drrs.strategy.subscale-division";
    public static final String BINS_FROM = "drrs.strategy.bins.from";
    public static final String BINS_SIZE = "drrs.strategy.bins.size";
    public static final String COPY_AHEAD = "drrs.copy-ahead";
    public static final String COPY_AHEAD_WINDOW = "drrs.copy-ahead.window";
    public static final String COPY_AHEAD_RATE = "drrs.copy-ahead.rate";

    public static final int DEFAULT_SUBSCALE_CONCURRENCY = 2;
    public static final int DEFAULT_SUBSCALE_KEY_GROUPS = 4;
    public static final int DEFAULT_NODE_CONCURRENCY = 2;
    public static final int DEFAULT_WARM_UP = 4;
    public static final int DEFAULT_PULL_WINDOW = 4;
    public static final long DEFAULT_SET_ASIDE_RECORDS = 100_000;
    public static final long DEFAULT_SET_ASIDE_BYTES = 64L << 20;
    public static final long DEFAULT_BINS_FROM = 8L << 20;
    public static final long DEFAULT_BINS_SIZE = 512L << 10;
    public static final long DEFAULT_COPY_AHEAD_WINDOW = 256L << 20;

    static final String NAME = "drrs";

    private static final NumberOptions OPTIONS =
            new NumberOptions(
                    NAME,
                    Map.ofEntries(
                            Map.entry(
                                    SUBSCALE_CONCURRENCY,
                                    new Option(1, 1024, DEFAULT_SUBSCALE_CONCURRENCY)),
                            Map.entry(
                                    SUBSCALE_KEY_GROUPS,
                                    new Option(1, 32768, DEFAULT_SUBSCALE_KEY_GROUPS)),
                            Map.entry(
                                    NODE_CONCURRENCY,
                                    new Option(1, 32768, DEFAULT_NODE_CONCURRENCY)),
                            Map.entry(WARM_UP, new Option(0, 32768, DEFAULT_WARM_UP)),
                            Map.entry(PULL_WINDOW, new Option(1, 32768, DEFAULT_PULL_WINDOW)),
                            Map.entry(
                                    SET_ASIDE_RECORDS,
                                    new Option(0, Long.MAX_VALUE, DEFAULT_SET_ASIDE_RECORDS)),
                            Map.entry(SET_ASIDE_BYTES, Option.bytes(DEFAULT_SET_ASIDE_BYTES)),
                            Map.entry(DECOUPLING, Option.on()),
                            Map.entry(RECORD_SCHEDULING, Option.on()),
                            Map.entry(SUBSCALE_DIVISION, Option.on()),
                            Map.entry(BINS_FROM, Option.bytes(DEFAULT_BINS_FROM)),
                            Map.entry(BINS_SIZE, Option.bytes(DEFAULT_BINS_SIZE)),
                            Map.entry(COPY_AHEAD, Option.off()),
                            Map.entry(
                                    COPY_AHEAD_WINDOW, Option.bytes(1, DEFAULT_COPY_AHEAD_WINDOW)),
                            Map.entry(COPY_AHEAD_RATE, Option.bytes(0))));

    public DrrsStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                values.get(SUBSCALE_DIVISION) == 1
                        ? new BoundedUnits(values.get(SUBSCALE_KEY_GROUPS).intValue())
                        : Units.PAIRS,
                new EmptiestOwnerFirst(
                        values.get(SUBSCALE_CONCURRENCY).intValue(),
                        values.get(WARM_UP).intValue(),
                        values.get(NODE_CONCURRENCY).intValue()),
                values.get(DECOUPLING) == 1 ? new DirectSignals() : new AlignedSignals(),
                new HottestFirst(
                        values.get(PULL_WINDOW).intValue(),
                        new BinsBySize(values.get(BINS_FROM), values.get(BINS_SIZE))),
                values.get(RECORD_SCHEDULING) == 1
                        ? new SetAsideLimit(
                                values.get(SET_ASIDE_RECORDS), values.get(SET_ASIDE_BYTES))
                        : new InOrder(),
                values.get(COPY_AHEAD) == 1
                        ? new CopyAhead(values.get(COPY_AHEAD_WINDOW), values.get(COPY_AHEAD_RATE))
                        : CopyAhead.NONE);
    }
}
