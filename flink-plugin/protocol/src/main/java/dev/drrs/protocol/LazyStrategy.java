package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * Lazy migration, as in systems with disaggregated state: all key groups change their owner at
 * once, and their state follows when it is needed, by bins of a key group: by a record, or by a
 * timer that is due. What nobody needs comes behind, or stays until somebody waits for the end of
 * the rescale.
 */
public final class LazyStrategy extends StrategyWithOptions {

    public static final String BACKGROUND = "drrs.lazy.background";
    public static final String BATCH = "drrs.lazy.batch";
    public static final String BINS = "drrs.lazy.bins";
    public static final String SET_ASIDE_RECORDS = "drrs.lazy.set-aside.records";
    public static final String SET_ASIDE_BYTES = "drrs.lazy.set-aside.bytes";

    public static final int DEFAULT_BATCH = 1;
    public static final int DEFAULT_BINS = 16;

    static final String NAME = "lazy";

    private static final NumberOptions OPTIONS =
            new NumberOptions(
                    NAME,
                    Map.of(
                            BACKGROUND,
                            Option.on(),
                            BATCH,
                            new Option(1, 32768, DEFAULT_BATCH),
                            BINS,
                            new Option(1, 1024, DEFAULT_BINS),
                            SET_ASIDE_RECORDS,
                            new Option(0, Long.MAX_VALUE, DrrsStrategy.DEFAULT_SET_ASIDE_RECORDS),
                            SET_ASIDE_BYTES,
                            new Option(0, Long.MAX_VALUE, DrrsStrategy.DEFAULT_SET_ASIDE_BYTES)));

    LazyStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                Units.PAIRS,
                new AllAtOnce(),
                new DirectSignals(),
                new OnFirstAccess(
                        new FetchOnDemand(
                                values.get(BATCH).intValue(), values.get(BINS).intValue()),
                        values.get(BACKGROUND) == 1),
                new SetAsideLimit(values.get(SET_ASIDE_RECORDS), values.get(SET_ASIDE_BYTES)),
                CopyAhead.NONE);
    }
}
