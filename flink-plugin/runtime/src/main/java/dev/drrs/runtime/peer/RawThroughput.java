package dev.drrs.runtime.peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;

/**
 * How fast an exchange can be when nothing is serialized or installed: the yardstick for moving
 * state.
 *
 * <p>Runs over a fresh pair of writer and reader between the same subtasks. The reader needs
 * nothing special: it counts filler and drops it. The clock runs from the first byte that is queued
 * after a warm-up (connection, buffers, compiled code) to the consumer's word that everything has
 * arrived.
 */
public final class RawThroughput {

    private static final int PIECE_BYTES = 1 << 20;

    private RawThroughput() {}

    /**
     * Bytes in a time.
     *
     * @param bytes how many
     * @param nanos in how many nanoseconds, 0 if nothing was measured
     */
    public record Rate(long bytes, long nanos) {

        /** Bytes per second, 0 if nothing was measured. */
        public double bytesPerSecond() {
            return nanos <= 0 ? 0 : bytes * 1e9 / nanos;
        }
    }

    /**
     * Sends filler through a fresh writer, finishes it and measures. Blocks for all of that: not
     * for the mailbox thread.
     *
     * @param writer nothing was sent through it yet; used up afterwards
     * @param warmUpMiB sent before the clock starts, 0 or more
     * @param mib measured, 1 or more
     * @throws IOException if the exchange breaks or no consumer connects
     * @throws InterruptedException if interrupted while waiting; the writer is closed then
     */
    public static Rate measure(PeerWriter writer, int warmUpMiB, int mib)
            throws IOException, InterruptedException {
        if (warmUpMiB < 0 || mib < 1) {
            throw new IllegalArgumentException("There must be at least 1 MiB to measure.");
        }
        boolean done = false;
        try {
            writer.connected().get();
            send(writer, warmUpMiB);
            long start = System.nanoTime();
            send(writer, mib);
            writer.finish().get();
            Rate rate = new Rate((long) mib * PIECE_BYTES, System.nanoTime() - start);
            done = true;
            return rate;
        } catch (ExecutionException e) {
            throw new IOException(
                    "The raw throughput could not be measured: " + e.getCause(), e.getCause());
        } finally {
            if (!done) {
                writer.close();
            }
        }
    }

    private static void send(PeerWriter writer, int mib) throws IOException, InterruptedException {
        byte[] piece = new byte[PIECE_BYTES];
        for (int i = 0; i < mib; i++) {
            writer.sendFiller(ByteBuffer.wrap(piece));
        }
    }
}
