package dev.drrs.runtime.role;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Whether all cores that this JVM may use are busy, with its own threads or those of others. Looked
 * at once in a while only, by whoever asks. Any thread.
 */
final class MachineLoad implements BooleanSupplier {

    /** The JVM gives the load since somebody last asked: everybody asks here. */
    static final MachineLoad OF_THIS_JVM = new MachineLoad(measured(), System::nanoTime);

    static final long SAMPLE_NANOS = 100_000_000;

    /** What was measured over a longer time says nothing of now. */
    private static final long STALE_NANOS = 10 * SAMPLE_NANOS;

    /** From here on a thread more takes time from others. */
    private static final double FULL = 0.9;

    private final DoubleSupplier load;
    private final LongSupplier clock;
    private boolean sampled;
    private long sampledAt;
    private boolean full;

    /**
     * @param load of all cores since the last call, 0 to 1; less if it is not known
     * @param clock as {@link System#nanoTime}
     */
    MachineLoad(DoubleSupplier load, LongSupplier clock) {
        this.load = load;
        this.clock = clock;
    }

    private static DoubleSupplier measured() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? () -> Math.max(system.getProcessCpuLoad(), system.getCpuLoad())
                : () -> -1;
    }

    @Override
    public synchronized boolean getAsBoolean() {
        long now = clock.getAsLong();
        long age = now - sampledAt;
        if (!sampled || age >= SAMPLE_NANOS) {
            double measured = load.getAsDouble();
            full = sampled && age < STALE_NANOS && measured >= FULL;
            sampled = true;
            sampledAt = now;
        }
        return full;
    }
}
