package dev.drrs.runtime.peer;

/**
 * How much filler arrived between the first and the last piece. Written by one thread, read by any.
 */
final class FillerMeter {

    private long bytes;
    private long firstNanos;
    private long lastNanos;

    synchronized void add(int more) {
        lastNanos = System.nanoTime();
        if (bytes == 0) {
            firstNanos = lastNanos;
        }
        bytes += more;
    }

    synchronized RawThroughput.Rate rate() {
        return new RawThroughput.Rate(bytes, lastNanos - firstNanos);
    }
}
