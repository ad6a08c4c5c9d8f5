package dev.drrs.runtime.job;

import java.util.List;
import java.util.Locale;

/**
 * What an operator with many key groups costs more than on stock Flink, in words. Each of its
 * subtasks may hold any key group, so each writes all of them into a checkpoint, most of them
 * empty, and what is written says for each where it stands.
 */
final class ManyKeyGroups {

    /** Fewer are not worth a word. */
    private static final int MANY = 4_096;

    private static final double MIB = 1 << 20;

    /** Of an empty key group in a checkpoint: its number, and its place in the file. */
    private static final int BYTES = 4 + 8;

    /** Of an empty key group in a checkpoint, for each state and queue of timers. */
    private static final int BYTES_PER_STATE = 6;

    /** Of a key group in the metadata, where the path of a file is of usual length. */
    private static final int BYTES_OF_METADATA = 128;

    private ManyKeyGroups() {}

    /** Sentences for the user; none for an operator with an ordinary number of key groups. */
    static List<String> warnings(String operator, int keyGroups, int active) {
        if (keyGroups < MANY) {
            return List.of();
        }
        return List.of(
                String.format(
                        Locale.ROOT,
                        "%s has %d key groups, which each of its %d subtasks writes into each checkpoint: that makes it"
                                + " larger by %.1f MiB, and by %.1f MiB more for each state or queue of timers; metadata take"
                                + " up to %.1f MiB. Fewer (pipeline.max-parallelism, for a job that starts without state) cost"
                                + " less.",
                        operator,
                        keyGroups,
                        active,
                        (double) keyGroups * BYTES * active / MIB,
                        (double) keyGroups * BYTES_PER_STATE * active / MIB,
                        keyGroups * BYTES_OF_METADATA / MIB));
    }
}
