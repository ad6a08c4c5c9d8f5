package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * Meces (USENIX ATC 2022), as it was brought to Flink for the comparison in the DRRS paper: gradual
 * steps of a few key groups, each behind an aligned barrier; the state that the record at hand
 * needs is fetched on demand, ahead of what comes in the background, and the subtask waits for it.
 */
public final class MecesStrategy extends StrategyWithOptions {

    public static final String BATCH = "drrs.meces.batch";
    public static final int DEFAULT_BATCH = 5;

    static final String NAME = "meces";

    /** In the background one at a time, so that a demand waits behind no more than that. */
    private static final int BACKGROUND = 1;

    private static final NumberOptions OPTIONS =
            new NumberOptions(NAME, Map.of(BATCH, new Option(1, 32768, DEFAULT_BATCH)));

    public MecesStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        GradualSteps steps = new GradualSteps(values.get(BATCH).intValue());
        return new Policies(
                steps,
                steps,
                new AlignedSignals(),
                new FetchOnDemand(BACKGROUND),
                new InOrder(),
                CopyAhead.NONE);
    }
}
