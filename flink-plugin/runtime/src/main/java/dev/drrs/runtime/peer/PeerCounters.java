package dev.drrs.runtime.peer;

import java.util.concurrent.atomic.LongAdder;

/** The counters behind {@link PeerMetrics}: added to by the exchange's own thread, read by any. */
final class PeerCounters {

    private final LongAdder signals = new LongAdder();
    private final LongAdder signalBytes = new LongAdder();
    private final LongAdder bulk = new LongAdder();
    private final LongAdder bulkBytes = new LongAdder();
    private final LongAdder fillerBytes = new LongAdder();
    private final LongAdder blockedNanos = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();

    void message(Frame.Kind kind, int bytes) {
        switch (kind) {
            case SIGNAL -> {
                signals.increment();
                signalBytes.add(bytes);
            }
            case BULK -> {
                bulk.increment();
                bulkBytes.add(bytes);
            }
            case FILLER -> fillerBytes.add(bytes);
            default -> throw new IllegalArgumentException("Not a message: " + kind);
        }
    }

    void blocked(long nanos) {
        blockedNanos.add(nanos);
    }

    void busy(long nanos) {
        busyNanos.add(nanos);
    }

    PeerMetrics snapshot() {
        return new PeerMetrics(
                signals.sum(),
                signalBytes.sum(),
                bulk.sum(),
                bulkBytes.sum(),
                fillerBytes.sum(),
                blockedNanos.sum(),
                busyNanos.sum());
    }
}
