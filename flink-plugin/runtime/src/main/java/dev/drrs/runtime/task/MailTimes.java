package dev.drrs.runtime.task;

import dev.drrs.runtime.message.MailCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * How long what the plug-in does in a task's mailbox keeps the task from its records, by kind: its
 * mails, and its events that come in order with records. What a mail lets run meanwhile counts as
 * part of it. Nothing is measured where records pass. Mailbox thread only.
 */
public final class MailTimes {

    private static final class Times {
        final long[] buckets = new long[MailCounts.MOST_BUCKETS];
        int used;
        long maxMicros;
    }

    private final Map<String, Times> byKind = new TreeMap<>();

    /** Runs it and counts how long it took, however it ends. */
    public <X extends Throwable> void measure(String kind, ThrowingRunnable<X> work) throws X {
        long begin = System.nanoTime();
        try {
            work.run();
        } finally {
            add(kind, (System.nanoTime() - begin) / 1_000);
        }
    }

    void add(String kind, long micros) {
        Times times = byKind.computeIfAbsent(kind, any -> new Times());
        int bucket = MailCounts.bucket(micros);
        times.buckets[bucket]++;
        times.used = Math.max(times.used, bucket + 1);
        times.maxMicros = Math.max(times.maxMicros, micros);
    }

    /** What has been counted since the last call, in order of kinds. */
    public List<MailCounts> take() {
        List<MailCounts> counted = new ArrayList<>();
        byKind.forEach(
                (kind, times) ->
                        counted.add(
                                new MailCounts(
                                        kind,
                                        times.maxMicros,
                                        Arrays.copyOf(times.buckets, times.used))));
        byKind.clear();
        return counted;
    }
}
