package dev.drrs.gateway.shapes;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** What the test tells a job while it runs, and asks it; by the job's name. Any thread. */
public final class Gates {

    private static final Map<String, Gates> ALL = new ConcurrentHashMap<>();

    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final CompletableFuture<Void> ending = new CompletableFuture<>();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private Gates() {}

    static Gates of(String job) {
        return ALL.computeIfAbsent(job, name -> new Gates());
    }

    /** Forgets a job that has ended. */
    public static void forget(String job) {
        ALL.remove(job);
        Results.forget(job);
    }

    /** From here on events come as fast as they can, to the last one. */
    public static void release(String job) {
        of(job).released.complete(null);
    }

    /** From here on the sources may end. */
    public static void end(String job) {
        of(job).ending.complete(null);
    }

    /** The next result that a sink of the job gets fails its task. */
    public static void failOnce(String job) {
        of(job).failing.set(true);
    }

    /**
     * Not any more.
     *
     * @return false if it has failed
     */
    public static boolean failNoMore(String job) {
        return of(job).failing.compareAndSet(true, false);
    }

    /** Whether that is still to come. */
    public static boolean hasStillToFail(String job) {
        return of(job).failing.get();
    }

    /** How many events the heads have seen, each once. */
    public static int seen(String job) {
        return of(job).seen.size();
    }

    /** Done when {@link #release}d. */
    CompletableFuture<Void> released() {
        return released;
    }

    /** Done when sources may {@link #end}. */
    CompletableFuture<Void> ending() {
        return ending;
    }

    void see(String branch, long id) {
        seen.add(branch + "/" + id);
    }

    /** What a sink does with each result. */
    void pass(long slowMicros) {
        if (failing.compareAndSet(true, false)) {
            throw new IllegalStateException("fails on request");
        }
        if (slowMicros > 0 && !released.isDone()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(slowMicros));
        }
    }
}
