package dev.drrs.runtime.peer;

/**
 * Counters of one end of an exchange since it was opened; payload only, without frame headers,
 * without filler.
 *
 * @param signals signals written, or messages of that lane handed to the handler
 * @param signalBytes their bytes
 * @param bulk bulk messages written, or messages of that lane handed to the handler
 * @param bulkBytes their bytes
 * @param fillerBytes filler written or dropped, see {@link RawThroughput}
 * @param blockedNanos writer: time spent waiting for a network buffer (no credit); reader: 0
 * @param busyNanos writer: time with something to send, waiting for a buffer included; reader: time
 *     spent in the handler
 */
public record PeerMetrics(
        long signals,
        long signalBytes,
        long bulk,
        long bulkBytes,
        long fillerBytes,
        long blockedNanos,
        long busyNanos) {

    /** Signals and bulk together. */
    public long messages() {
        return signals + bulk;
    }

    /** Bytes of signals and bulk together. */
    public long bytes() {
        return signalBytes + bulkBytes;
    }
}
