package dev.drrs.runtime.rehearsal;

import dev.drrs.runtime.peer.PeerNetwork;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The rehearsal of this JVM: there is one, as what it warms up is the JVM's, also where several
 * TaskManagers share it. Any thread.
 */
public final class Rehearsals {

    private static final String IN_EARNEST = "a rescale began";

    private static final AtomicReference<Rehearsal> ONLY = new AtomicReference<>();

    private Rehearsals() {}

    /**
     * A task of an elastic job has started, or a TaskManager that may get some. After the first one
     * a rehearsal begins; it waits until no more tasks start.
     *
     * @param network of the TaskManager
     * @param parts called once, in the rehearsal's thread, or never
     */
    public static void started(PeerNetwork network, Supplier<List<RehearsalPart>> parts) {
        Rehearsal before = ONLY.get();
        if (before != null) {
            before.taskStarted();
            return;
        }
        begin(new Rehearsal(network, parts, Rehearsal.Limits.DEFAULT));
    }

    /** Has no effect if there is one. */
    static void begin(Rehearsal first) {
        if (ONLY.compareAndSet(null, first)) {
            first.start();
        }
    }

    /** What was to be rehearsed comes in earnest: a rehearsal under way ends. */
    public static void keyGroupsMove() {
        Rehearsal rehearsal = ONLY.get();
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
    public static CompletableFuture<Void> hurry(long millis) {
        Rehearsal rehearsal = ONLY.get();
        if (rehearsal == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
                .execute(() -> rehearsal.stop(IN_EARNEST));
        return rehearsal.hurry();
    }

    /** What has become of it: none, under way, done in .. ms, stopped: .., or failed: .. */
    public static String status() {
        Rehearsal rehearsal = ONLY.get();
        return rehearsal == null ? "none" : rehearsal.status();
    }

    /** For tests that share a JVM: the next task begins another one. */
    static void forget() throws InterruptedException {
        Rehearsal rehearsal = ONLY.get();
        if (rehearsal != null) {
            rehearsal.stop("it is forgotten");
            rehearsal.join();
            ONLY.set(null);
        }
    }
}
