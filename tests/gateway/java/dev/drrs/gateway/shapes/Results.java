package dev.drrs.gateway.shapes;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the sinks of a job have put out, in the order in which it was written: their subtasks run in this JVM. Any thread. */
public final class Results {

    private static final Map<String, Results> ALL = new ConcurrentHashMap<>();

    private final AtomicLong next = new AtomicLong();
    private final Map<Long, String> lines = new ConcurrentSkipListMap<>();
    private final Map<String, Map<Long, String>> pending = new ConcurrentHashMap<>();

    private Results() {}

    static Results of(String job) {
        return ALL.computeIfAbsent(job, name -> new Results());
    }

    /** All results so far, a line each. */
    public static String lines(String job) {
        return String.join("\n", of(job).lines.values());
    }

    /** How many there are. */
    public static int count(String job) {
        return of(job).lines.size();
    }

    static void forget(String job) {
        ALL.remove(job);
    }

    /** The place of a result that is being written, after those of all before. */
    long place() {
        return next.getAndIncrement();
    }

    void add(String line) {
        lines.put(place(), line);
    }

    /** Keeps results with their places until they are committed by this name. */
    void keep(String name, Map<Long, String> written) {
        pending.put(name, Map.copyOf(written));
    }

    /** @return false if they were committed before */
    boolean commit(String name) {
        Map<Long, String> written = pending.remove(name);
        if (written == null) {
            return false;
        }
        lines.putAll(written);
        return true;
    }

    List<String> all() {
        return List.copyOf(lines.values());
    }
}
