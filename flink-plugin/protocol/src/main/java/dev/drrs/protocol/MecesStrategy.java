package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * Meces (USENIX ATC 2022), as it was brought to Flink for the comparison in the DRRS paper: gradual
 * steps of a few key groups, each behind an aligned barrier; key groups are divided into bins, and
 * the bin that the record at hand needs is fetched on demand, ahead of what comes in the
 * background; the subtask waits for it.
 */
public final class MecesStrategy extends StrategyWithOptions {

    public static final String BATCH = "drrs.meces.batch";
    public static final int DEFAULT_BATCH = 5;
    public static final String BINS = "drrs.meces.bins";
    public static final int DEFAULT_BINS = 16;

    static final String NAME = "meces";

    /** In the background one at a time, so that a demand waits behind no more than that. */
    private static final int BACKGROUND = 1;

    private static final NumberOptions OPTIONS =
            new NumberOptions(
                    NAME,
                    Map.of(
                            BATCH, new Option(1, 32768, DEFAULT_BATCH),
                            BINS, new Option(1, 1024, DEFAULT_BINS)));

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
                new FetchOnDemand(BACKGROUND, values.get(BINS).intValue()),
                new InOrder(),
                CopyAhead.NONE);
    }
}
