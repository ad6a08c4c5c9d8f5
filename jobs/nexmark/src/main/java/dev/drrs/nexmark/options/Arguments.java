package dev.drrs.nexmark.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The values that a command line gives to the options. */
public final class Arguments {

    private final Map<String, String> given;

    private Arguments(Map<String, String> given) {
        this.given = given;
    }

    /** Reads {@code --name value ..}; {@link IllegalArgumentException} with all faults at once. */
    public static Arguments parse(String... args) {
        Map<String, Option> known = new HashMap<>();
        Options.all().forEach(option -> known.put("--" + option.name(), option));
        Map<String, String> given = new HashMap<>();
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < args.length; i += 2) {
            Option option = known.get(args[i]);
            if (option == null) {
                faults.add("Unknown option " + args[i]);
            } else if (i + 1 == args.length) {
                faults.add(args[i] + " has no value");
            } else if (option.faultOf(args[i + 1]) != null) {
                faults.add(option.faultOf(args[i + 1]));
            } else {
                given.put(option.name(), args[i + 1]);
            }
        }
        Arguments arguments = new Arguments(given);
        if (faults.isEmpty()) {
            faults.addAll(ArgumentRules.faults(arguments));
        }
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", faults));
        }
        return arguments;
    }

    public String text(Option option) {
        return given.getOrDefault(option.name(), option.defaultValue());
    }

    public long number(Option option) {
        return Long.parseLong(text(option));
    }

    /** The value as an int; {@link ArithmeticException} if it is too large for one. */
    public int integer(Option option) {
        return Math.toIntExact(number(option));
    }

    public boolean flag(Option option) {
        return Boolean.parseBoolean(text(option));
    }

    public boolean isGiven(Option option) {
        return given.containsKey(option.name());
    }

    /** The values in their order; none if the option is not given. */
    public List<Integer> numbers(Option option) {
        return text(option).isEmpty()
                ? List.of()
                : Arrays.stream(text(option).split(",")).map(Integer::valueOf).toList();
    }
}
