package dev.drrs.runtime.rehearsal;

import java.util.function.BooleanSupplier;
import org.apache.flink.util.function.ThrowingRunnable;

/** Where a part is rehearsed. {@link #execute} is for any thread, the rest for the rehearsal's. */
public interface Stage {

    /** Has it run in the rehearsal's thread, in order, by {@link #runUntil}. Any thread. */
    void execute(ThrowingRunnable<Exception> mail);

    /**
     * Runs what comes by {@link #execute} until the condition holds. Throws what that throws.
     *
     * @throws RehearsalEndedException if the rehearsal is not to go on
     * @throws java.util.concurrent.TimeoutException if nothing comes for too long
     */
    void runUntil(BooleanSupplier condition) throws Exception;

    /**
     * To be called between two pieces of work of some milliseconds: leaves the CPU to others for
     * several times as long as the last piece took.
     *
     * @throws RehearsalEndedException if the rehearsal is not to go on
     */
    void rest() throws Exception;
}
