package dev.drrs.nexmark.options;

import java.util.ArrayList;
import java.util.List;

/**
 * One option of the command line, {@code --name value}.
 *
 * @param values what is allowed, for the user to read: a choice {@code a|b}, or the name of a kind
 * @param defaultValue as it would be typed; empty = none
 */
public record Option(
        String name, Kind kind, String values, String defaultValue, String description) {

    /** How a value is read. */
    public enum Kind {
        TEXT,
        CHOICE,
        BOOLEAN,
        NUMBER,
        NUMBERS
    }

    private static final List<Option> DECLARED = new ArrayList<>();

    static Option text(String name, String values, String defaultValue, String description) {
        return declare(new Option(name, Kind.TEXT, values, defaultValue, description));
    }

    static Option choice(String name, String values, String defaultValue, String description) {
        return declare(new Option(name, Kind.CHOICE, values, defaultValue, description));
    }

    static Option flag(String name, boolean defaultValue, String description) {
        return declare(
                new Option(
                        name,
                        Kind.BOOLEAN,
                        "true|false",
                        Boolean.toString(defaultValue),
                        description));
    }

    static Option number(String name, long defaultValue, String description) {
        return declare(
                new Option(name, Kind.NUMBER, "number", Long.toString(defaultValue), description));
    }

    static Option numbers(String name, String description) {
        return declare(new Option(name, Kind.NUMBERS, "numbers, comma-separated", "", description));
    }

    private static Option declare(Option option) {
        DECLARED.add(option);
        return option;
    }

    static List<Option> declared() {
        return List.copyOf(DECLARED);
    }

    /** Why the text is not a value of this option, or null if it is one. */
    String faultOf(String value) {
        boolean good =
                switch (kind) {
                    case TEXT -> true;
                    case CHOICE, BOOLEAN -> List.of(values.split("\\|")).contains(value);
                    case NUMBER -> value.matches("[0-9]{1,18}");
                    case NUMBERS -> value.matches("([0-9]{1,9}(,[0-9]{1,9})*)?");
                };
        return good ? null : "--" + name + " takes " + values + ", not \"" + value + "\"";
    }
}
