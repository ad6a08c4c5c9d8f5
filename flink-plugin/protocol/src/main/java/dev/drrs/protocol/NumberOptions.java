package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Options of a strategy: whole numbers, sizes in bytes, and switches. No state, any thread. */
final class NumberOptions {

    /** How a value is written. */
    enum Kind {
        /** {@code 12}. */
        NUMBER,
        /** {@code true} or {@code false}, for 1 and 0. */
        SWITCH,
        /** As Flink writes sizes: {@code 12}, {@code 12 mb}. */
        BYTES
    }

    /**
     * @param min smallest value allowed
     * @param max largest value allowed
     * @param value the default
     */
    record Option(long min, long max, long value, Kind kind) {

        Option(long min, long max, long value) {
            this(min, max, value, Kind.NUMBER);
        }

        /** Off unless it is said. */
        static Option off() {
            return new Option(0, 1, 0, Kind.SWITCH);
        }

        /** On unless it is said. */
        static Option on() {
            return new Option(0, 1, 1, Kind.SWITCH);
        }

        static Option bytes(long value) {
            return bytes(0, value);
        }

        static Option bytes(long min, long value) {
            return new Option(min, Long.MAX_VALUE, value, Kind.BYTES);
        }

        /**
         * @throws NumberFormatException if it is none of the kind
         */
        private long parse(String text) {
            return switch (kind) {
                case SWITCH -> Boolean.parseBoolean(text) ? 1 : 0;
                case NUMBER -> Long.parseLong(text);
                case BYTES -> ByteSizes.parse(text);
            };
        }

        private boolean allows(String text) {
            if (kind == Kind.SWITCH) {
                return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
            }
            try {
                long given = parse(text);
                return given >= min && given <= max;
            } catch (NumberFormatException e) {
                return false;
            }
        }

        private String range() {
            return switch (kind) {
                case SWITCH -> "true or false";
                case BYTES ->
                        "a size"
                                + (min == 0 ? "" : " of at least " + min + " bytes")
                                + ", as 1048576 or 1 mb";
                case NUMBER ->
                        "a whole number"
                                + (max == Long.MAX_VALUE
                                        ? " of at least " + min
                                        : " from " + min + " to " + max);
            };
        }
    }

    private final String strategy;
    private final Map<String, Option> options;

    NumberOptions(String strategy, Map<String, Option> options) {
        this.strategy = strategy;
        this.options = Map.copyOf(options);
    }

    String strategy() {
        return strategy;
    }

    Set<String> names() {
        return new TreeSet<>(options.keySet());
    }

    /** All that is wrong with what was given, by the names of the options. */
    List<PlanFault> check(Map<String, String> given) {
        List<PlanFault> faults = new ArrayList<>();
        new TreeMap<>(given)
                .forEach(
                        (name, text) -> {
                            Option option = options.get(name);
                            if (option == null) {
                                faults.add(unknown(name));
                            } else if (!option.allows(text)) {
                                faults.add(malformed(name, text, option));
                            }
                        });
        return faults;
    }

    /**
     * The values of all options, defaults for those that were not given.
     *
     * @throws IllegalArgumentException if {@link #check} finds a fault
     */
    Map<String, Long> values(Map<String, String> given) {
        List<PlanFault> faults = check(given);
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(faults.get(0).message());
        }
        Map<String, Long> values = new HashMap<>();
        options.forEach((name, option) -> values.put(name, option.value()));
        given.forEach((name, text) -> values.put(name, options.get(name).parse(text)));
        return values;
    }

    private PlanFault unknown(String name) {
        String known = options.isEmpty() ? "none" : String.join(", ", names());
        return new PlanFault(
                "UNKNOWN_OPTION",
                "Strategy " + strategy + " has no option " + name + "; it has " + known + ".");
    }

    private static PlanFault malformed(String name, String text, Option option) {
        return new PlanFault(
                "MALFORMED_REQUEST",
                "Option " + name + " is " + text + "; it has to be " + option.range() + ".");
    }
}
