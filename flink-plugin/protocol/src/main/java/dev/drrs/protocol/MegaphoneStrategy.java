package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * Megaphone (VLDB 2019), as it was brought to Flink for the comparison in the DRRS paper: a
 * sequence of steps, each an aligned barrier and then the state of a few key groups; later records
 * queue behind one whose state is still to come. With one key group a step it is Megaphone's fluid
 * migration, with several its batched one.
 */
public final class MegaphoneStrategy extends StrategyWithOptions {

    public static final String BATCH = "drrs.megaphone.batch";
    public static final int DEFAULT_BATCH = 1;

    static final String NAME = "megaphone";

    private static final NumberOptions OPTIONS =
            new NumberOptions(NAME, Map.of(BATCH, new Option(1, 32768, DEFAULT_BATCH)));

    public MegaphoneStrategy() {
        super(OPTIONS);
    }

    @Override
    Policies policiesOf(Map<String, Long> values) {
        return new Policies(
                new Batches(values.get(BATCH).intValue()),
                new StepByStep(),
                new AlignedSignals(),
                PlanOrder.ALL_AT_ONCE,
                new InOrder(),
                CopyAhead.NONE);
    }
}
