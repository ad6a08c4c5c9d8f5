package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decoupled signals, re-routing, record scheduling with a bounded set-aside, concurrent subscales,
 * key groups pulled hottest first.
 */
public final class DrrsStrategy implements Strategy {

    public static final String SUBSCALE_CONCURRENCY = "drrs.strategy.subscale-concurrency";
    public static final String PULL_WINDOW = "drrs.strategy.pull-window";
    public static final String SET_ASIDE_RECORDS = "drrs.strategy.set-aside.records";
    public static final String SET_ASIDE_BYTES = "drrs.strategy.set-aside.bytes";

    public static final int DEFAULT_SUBSCALE_CONCURRENCY = 2;
    public static final int DEFAULT_PULL_WINDOW = 4;
    public static final long DEFAULT_SET_ASIDE_RECORDS = 100_000;
    public static final long DEFAULT_SET_ASIDE_BYTES = 64L << 20;

    private record Option(long min, long max, long value) {}

    private static final Map<String, Option> OPTIONS =
            Map.of(
                    SUBSCALE_CONCURRENCY, new Option(1, 1024, DEFAULT_SUBSCALE_CONCURRENCY),
                    PULL_WINDOW, new Option(1, 32768, DEFAULT_PULL_WINDOW),
                    SET_ASIDE_RECORDS, new Option(0, Long.MAX_VALUE, DEFAULT_SET_ASIDE_RECORDS),
                    SET_ASIDE_BYTES, new Option(0, Long.MAX_VALUE, DEFAULT_SET_ASIDE_BYTES));

    @Override
    public String name() {
        return "drrs";
    }

    @Override
    public Set<String> optionNames() {
        return new TreeSet<>(OPTIONS.keySet());
    }

    @Override
    public List<Fault> check(Map<String, String> options) {
        List<Fault> faults = new ArrayList<>();
        for (Map.Entry<String, String> given : new TreeMap<>(options).entrySet()) {
            Option option = OPTIONS.get(given.getKey());
            if (option == null) {
                faults.add(
                        new Fault(
                                "UNKNOWN_OPTION",
                                "Strategy "
                                        + name()
                                        + " has no option "
                                        + given.getKey()
                                        + "; it has "
                                        + String.join(", ", optionNames())
                                        + "."));
            } else if (!isWithin(option, given.getValue())) {
                String upTo =
                        option.max == Long.MAX_VALUE
                                ? " of at least " + option.min
                                : " from " + option.min + " to " + option.max;
                faults.add(
                        new Fault(
                                "MALFORMED_REQUEST",
                                "Option "
                                        + given.getKey()
                                        + " is "
                                        + given.getValue()
                                        + "; it has to be a whole number"
                                        + upTo
                                        + "."));
            }
        }
        return faults;
    }

    @Override
    public Policies policies(Map<String, String> options) {
        List<Fault> faults = check(options);
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(faults.get(0).message());
        }
        return new Policies(
                Units.BOUNDED,
                new EmptiestOwnerFirst((int) value(options, SUBSCALE_CONCURRENCY)),
                new DirectSignals(),
                new HottestFirst((int) value(options, PULL_WINDOW)),
                new SetAsideLimit(
                        value(options, SET_ASIDE_RECORDS), value(options, SET_ASIDE_BYTES)));
    }

    private static boolean isWithin(Option option, String text) {
        try {
            long value = Long.parseLong(text);
            return value >= option.min && value <= option.max;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static long value(Map<String, String> options, String name) {
        String given = options.get(name);
        return given == null ? OPTIONS.get(name).value : Long.parseLong(given);
    }
}
