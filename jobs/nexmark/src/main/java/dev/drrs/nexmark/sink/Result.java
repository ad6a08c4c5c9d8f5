package dev.drrs.nexmark.sink;

/**
 * One output of a query.
 *
 * @param json the line for the results file
 * @param key the key as text, for the latency file
 * @param scheduleMs when the last input of this output was due, epoch ms, or {@link #NO_LATENCY}
 * @param n the counter of the key at this output, or 0
 */
public record Result(String json, String key, long scheduleMs, long n) {

    /** Schedule time of outputs that get no latency record. */
    public static final long NO_LATENCY = 0;
}
