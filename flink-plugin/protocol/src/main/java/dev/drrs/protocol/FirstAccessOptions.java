package dev.drrs.protocol;

import dev.drrs.protocol.NumberOptions.Option;
import java.util.Map;

/**
 * Options that all strategies have that move state when it is first needed ({@link OnFirstAccess}),
 * each behind its own name, and the policies that follow from them. No state, any thread.
 */
final class FirstAccessOptions {

    private static final long MOST_KEY_GROUPS = 32768;
    private static final long MOST_BINS = 1024;

    private final String strategy;

    FirstAccessOptions(String strategy) {
        this.strategy = strategy;
    }

    String named(String option) {
        return "drrs." + strategy + "." + option;
    }

    String batch() {
        return named("batch");
    }

    String bins() {
        return named("bins");
    }

    String setAsideRecords() {
        return named("set-aside.records");
    }

    String setAsideBytes() {
        return named("set-aside.bytes");
    }

    /** The numbers of key groups that there may be. */
    static Option keyGroups(long value) {
        return new Option(1, MOST_KEY_GROUPS, value);
    }

    /**
     * All options of the strategy.
     *
     * @param batch by default
     * @param bins by default
     * @param own the name of the one that only this strategy has
     */
    NumberOptions with(Option batch, int bins, String own, Option option) {
        return new NumberOptions(
                strategy,
                Map.of(
                        batch(),
                        batch,
                        bins(),
                        new Option(1, MOST_BINS, bins),
                        setAsideRecords(),
                        new Option(0, Long.MAX_VALUE, DrrsStrategy.DEFAULT_SET_ASIDE_RECORDS),
                        setAsideBytes(),
                        Option.bytes(DrrsStrategy.DEFAULT_SET_ASIDE_BYTES),
                        own,
                        option));
    }

    /**
     * @param background {@link OnFirstAccess#background}
     */
    Policies policies(
            Map<String, Long> values, Units units, boolean background, Transport transport) {
        return new Policies(
                units,
                new AllAtOnce(),
                new DirectSignals(),
                new OnFirstAccess(
                        new FetchOnDemand(
                                values.get(batch()).intValue(), values.get(bins()).intValue()),
                        background),
                new SetAsideLimit(values.get(setAsideRecords()), values.get(setAsideBytes())),
                CopyAhead.NONE,
                transport);
    }
}
