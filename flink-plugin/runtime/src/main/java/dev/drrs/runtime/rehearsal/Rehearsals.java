package dev.drrs.runtime.rehearsal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The rehearsals of this JVM: one of what tasks need and one of what the coordinator needs, as what
 * they warm up is the JVM's, also where several TaskManagers share it. Any thread.
 */
public final class Rehearsals {

    private static final String IN_EARNEST = "a rescale began";

    /** Of a TaskManager. */
    public static final Rehearsals OF_TASKS = new Rehearsals();

    /** Of a JobManager. */
    public static final Rehearsals OF_COORDINATOR = new Rehearsals();

    private final AtomicReference<Rehearsal> only = new AtomicReference<>();

    private Rehearsals() {}

    /**
     * An elastic job or a task of one has started, or a TaskManager that may get some. After the
     * first one a rehearsal begins; it waits until no more of them start.
     *
     * @param closing whether the process around it shuts down, so that an error is none
     * @param parts called once, in the rehearsal's thread, or never
     */
    public void started(BooleanSupplier closing, Supplier<List<RehearsalPart>> parts) {
        Rehearsal before = only.get();
        if (before != null) {
            before.taskStarted();
            return;
        }
        begin(new Rehearsal(closing, parts, Rehearsal.Limits.DEFAULT));
    }

    /** Has no effect if there is one. */
    void begin(Rehearsal first) {
        if (only.compareAndSet(null, first)) {
            first.start();
        }
    }

    /** What was to be rehearsed comes in earnest: a rehearsal under way ends. */
    public void inEarnest() {
        Rehearsal rehearsal = only.get();
        if (rehearsal != null) {
            rehearsal.stop(IN_EARNEST);
        }
    }

    /**
     * A rescale waits for the rehearsal: it takes no rests from here on.
     *
     * @param millis after which it ends
     * @return completes in its thread when it is over, at once if none is under way
     */
    public CompletableFuture<Void> hurry(long millis) {
        Rehearsal rehearsal = only.get();
        if (rehearsal == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
                .execute(() -> rehearsal.stop(IN_EARNEST));
        return rehearsal.hurry();
    }

    /** What has become of it: none, under way, done in .. ms, stopped: .., or failed: .. */
    public String status() {
        Rehearsal rehearsal = only.get();
        return rehearsal == null ? "none" : rehearsal.status();
    }

    /** For tests that share a JVM: what starts next begins another one. */
    void forget() throws InterruptedException {
        Rehearsal rehearsal = only.get();
        if (rehearsal != null) {
            rehearsal.stop("it is forgotten");
            rehearsal.join();
            only.set(null);
        }
    }
}
