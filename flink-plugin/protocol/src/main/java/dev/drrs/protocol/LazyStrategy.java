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

    static final String NAME = "lazy";

    private static final FirstAccessOptions FIRST_ACCESS = new FirstAccessOptions(NAME);

    public static final String BACKGROUND = FIRST_ACCESS.named("background");
    public static final String BATCH = FIRST_ACCESS.batch();
    public static final String BINS = FIRST_ACCESS.bins();
    public static final String SET_ASIDE_RECORDS = FIRST_ACCESS.setAsideRecords();
    public static final String SET_ASIDE_BYTES = FIRST_ACCESS.setAsideBytes();

    public static final int DEFAULT_BATCH = 1;
    public static final int DEFAULT_BINS = 16;

    private static final NumberOptions OPTIONS =
            FIRST_ACCESS.with(
                    FirstAccessOptions.keyGroups(DEFAULT_BATCH),
                    DEFAULT_BINS,
                    BACKGROUND,
                    Option.on());

    LazyStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return FIRST_ACCESS.policies(
                values, Units.PAIRS, values.get(BACKGROUND) == 1, Transport.EXCHANGE);
    }
}
