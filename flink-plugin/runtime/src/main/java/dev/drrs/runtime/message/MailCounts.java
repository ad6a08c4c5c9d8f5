package dev.drrs.runtime.message;

import java.io.Serializable;
import java.util.Arrays;

/**
 * How long mails of one kind kept a task's mailbox from its records, as a histogram: exact below 16
 * microseconds, above that to an eighth of the value.
 *
 * @param kind what they were for
 * @param maxMicros the longest, microseconds
 * @param buckets how many, by {@link #bucket}; those behind the last one that is not 0 may be left
 *     out
 */
public record MailCounts(String kind, long maxMicros, long[] buckets) implements Serializable {

    private static final int EXACT = 16;
    private static final int PER_OCTAVE = 8;
    private static final int FIRST_OCTAVE = 4;
    private static final int LAST_OCTAVE = 40;

    /** Enough for what lasts twelve days. */
    public static final int MOST_BUCKETS = EXACT + (LAST_OCTAVE - FIRST_OCTAVE) * PER_OCTAVE;

    public static int bucket(long micros) {
        if (micros < EXACT) {
            return (int) Math.max(0, micros);
        }
        int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
        int part = (int) (micros >>> octave - 3) & PER_OCTAVE - 1;
        return Math.min(MOST_BUCKETS - 1, EXACT + (octave - FIRST_OCTAVE) * PER_OCTAVE + part);
    }

    /** The longest time that falls into the bucket, microseconds. */
    static long longestOf(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int octave = FIRST_OCTAVE + (bucket - EXACT) / PER_OCTAVE;
        long part = PER_OCTAVE + (bucket - EXACT) % PER_OCTAVE;
        return (part + 1 << octave - 3) - 1;
    }

    public long count() {
        return Arrays.stream(buckets).sum();
    }

    /** So long, in microseconds, or shorter were 99 of 100; 0 if there were none. */
    public long p99Micros() {
        long shorter = count() - count() / 100;
        long seen = 0;
        for (int i = 0; i < buckets.length; i++) {
            seen += buckets[i];
            if (seen >= shorter && seen > 0) {
                return Math.min(maxMicros, longestOf(i));
            }
        }
        return 0;
    }

    /** Both together, under this one's kind. */
    public MailCounts plus(MailCounts more) {
        long[] sum = Arrays.copyOf(buckets, Math.max(buckets.length, more.buckets.length));
        for (int i = 0; i < more.buckets.length; i++) {
            sum[i] += more.buckets[i];
        }
        return new MailCounts(kind, Math.max(maxMicros, more.maxMicros), sum);
    }
}
