package dev.drrs.protocol;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in bytes, as text in the manner of Flink's options. No state, any thread. */
final class ByteSizes {

    private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*([a-z]*)");

    /** Powers of 1024. */
    private static final Map<String, Integer> POWERS =
            Map.ofEntries(
                    Map.entry("", 0),
                    Map.entry("b", 0),
                    Map.entry("bytes", 0),
                    Map.entry("k", 1),
                    Map.entry("kb", 1),
                    Map.entry("kibibytes", 1),
                    Map.entry("m", 2),
                    Map.entry("mb", 2),
                    Map.entry("mebibytes", 2),
                    Map.entry("g", 3),
                    Map.entry("gb", 3),
                    Map.entry("gibibytes", 3),
                    Map.entry("t", 4),
                    Map.entry("tb", 4),
                    Map.entry("tebibytes", 4));

    private ByteSizes() {}

    /**
     * @throws NumberFormatException if it is no size, or one that is too large for a long
     */
    static long parse(String text) {
        Matcher size = SIZE.matcher(text.trim().toLowerCase(Locale.ROOT));
        Integer power = size.matches() ? POWERS.get(size.group(2)) : null;
        if (power == null) {
            throw new NumberFormatException("not a size: " + text);
        }
        long number = Long.parseLong(size.group(1));
        try {
            return Math.multiplyExact(number, 1L << 10 * power);
        } catch (ArithmeticException e) {
            throw new NumberFormatException("too large: " + text);
        }
    }
}
