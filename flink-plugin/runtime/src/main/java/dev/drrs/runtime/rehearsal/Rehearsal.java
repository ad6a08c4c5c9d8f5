package dev.drrs.runtime.rehearsal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rehearsal: begins when the tasks around it have started, in a thread of its own, and ends
 * with its last part, with the first error, when a rescale begins or when its time is over. An
 * error is logged and told, nothing else happens.
 *
 * <p>On most systems the JVM heeds no priority of threads. So this also rests: of each second it
 * works about a quarter.
 *
 * <p>Any thread, but for what {@link Stage} says of its methods.
 */
final class Rehearsal implements Stage {

    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

    /** How many times as long as it works it rests. */
    private static final int REST = 3;

    /** A piece that takes longer than a third of this has waited for the network. */
    private static final long MOST_REST_NANOS = TimeUnit.SECONDS.toNanos(6);

    /**
     * How long it may take.
     *
     * @param quiet since the last task has started, before it begins
     * @param whole from there on; then it is not to go on, as on a slow machine
     * @param silence until something has to come that is waited for
     */
    record Limits(Duration quiet, Duration whole, Duration silence) {
        static final Limits DEFAULT =
                new Limits(Duration.ofSeconds(2), Duration.ofSeconds(60), Duration.ofSeconds(30));
    }

    private final BooleanSupplier closing;
    private final Supplier<List<RehearsalPart>> parts;
    private final Limits limits;
    private final Thread thread;
    private final BlockingQueue<ThrowingRunnable<Exception>> mails = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    /** Open when it is to rest no more: somebody waits for it, or it is to end. */
    private final CountDownLatch noRest = new CountDownLatch(1);

    private volatile long lastStart = System.nanoTime();
    private volatile String stoppedBy;
    private volatile String status = "under way";

    /** Nobody runs mails any more. */
    private volatile boolean over;

    /** Nanoseconds, as {@link System#nanoTime}. */
    private long deadline;

    private long restedAt;

    /**
     * @param closing whether the process around it shuts down, so that an error is none
     * @param parts called once, in the rehearsal's thread
     */
    Rehearsal(BooleanSupplier closing, Supplier<List<RehearsalPart>> parts, Limits limits) {
        this.closing = closing;
        this.parts = parts;
        this.limits = limits;
        thread = new Thread(this::run, "drrs-rehearsal");
        thread.setDaemon(true);
        thread.setPriority(Thread.MIN_PRIORITY);
        // Made in a task's thread, whose loader is that of the job.
        thread.setContextClassLoader(Rehearsal.class.getClassLoader());
    }

    void start() {
        try {
            thread.start();
        } catch (Throwable t) { // no thread: no task and no TaskManager is to end for that
            over = true;
            status = "failed: " + t;
            end.complete(null);
            LOG.warn("A rehearsal cannot begin; the job runs on.", t);
        }
    }

    /** A task has started: it comes first. */
    void taskStarted() {
        lastStart = System.nanoTime();
    }

    /** Ends it, soon. Has no effect on one that has ended. */
    void stop(String why) {
        if (over || stoppedBy != null) {
            return; // called for each message of each rescale
        }
        stoppedBy = why;
        noRest.countDown();
        mails.add(this::checkStopped);
    }

    /**
     * Somebody waits for it: it begins, if it has not, and takes no rests.
     *
     * @return completes in its thread when it is over
     */
    CompletableFuture<Void> hurry() {
        noRest.countDown();
        return end.copy();
    }

    /** What has become of it, as words for users. */
    String status() {
        return status;
    }

    void join() throws InterruptedException {
        thread.join();
    }

    private void run() {
        try {
            awaitQuiet();
            long began = System.nanoTime();
            deadline = began + limits.whole().toNanos();
            restedAt = began;
            List<String> done = new ArrayList<>();
            for (RehearsalPart part : parts.get()) {
                done.add(part.run(this));
                rest();
            }
            status = "done in " + (System.nanoTime() - began) / 1_000_000 + " ms";
            LOG.info("Rehearsal {}, {}: {}", status, cpu(), String.join(", ", done));
        } catch (RehearsalEndedException e) {
            ended(e.getMessage());
        } catch (Throwable t) { // an Error too: nobody else would hear of it, and no job is harmed
            if (closing.getAsBoolean()) {
                ended("the process shuts down");
            } else {
                status = "failed: " + t;
                LOG.warn("Rehearsal failed; the job runs on, a rescale may fail likewise.", t);
            }
        } finally {
            over = true;
            mails.clear(); // what comes late would keep the scratch state for ever
            end.complete(null);
        }
    }

    private static String cpu() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads.isCurrentThreadCpuTimeSupported()
                ? threads.getCurrentThreadCpuTime() / 1_000_000 + " ms of CPU in its thread"
                : "CPU not measured";
    }

    private void ended(String why) {
        status = "stopped: " + why;
        LOG.info("Rehearsal {}", status);
    }

    private void awaitQuiet() throws Exception {
        checkStopped();
        long left;
        while (noRest.getCount() > 0
                && (left = lastStart + limits.quiet().toNanos() - System.nanoTime()) > 0) {
            pause(left);
        }
    }

    @Override
    public void execute(ThrowingRunnable<Exception> mail) {
        if (!over) {
            mails.add(mail);
        }
    }

    @Override
    public void runUntil(BooleanSupplier condition) throws Exception {
        while (!condition.getAsBoolean()) {
            ThrowingRunnable<Exception> mail =
                    mails.poll(limits.silence().toNanos(), TimeUnit.NANOSECONDS);
            if (mail == null) {
                throw new TimeoutException(
                        "nothing came for " + limits.silence().toSeconds() + " seconds");
            }
            mail.run();
        }
    }

    @Override
    public void rest() throws Exception {
        awaitQuiet(); // tasks that start meanwhile come first
        pause(Math.min((System.nanoTime() - restedAt) * REST, MOST_REST_NANOS));
        restedAt = System.nanoTime();
        if (restedAt - deadline > 0) {
            throw new RehearsalEndedException(
                    "its " + limits.whole().toSeconds() + " seconds are over");
        }
    }

    private void pause(long nanos) throws Exception {
        noRest.await(nanos, TimeUnit.NANOSECONDS);
        checkStopped();
    }

    private void checkStopped() throws RehearsalEndedException {
        if (stoppedBy != null) {
            throw new RehearsalEndedException(stoppedBy);
        }
    }
}
