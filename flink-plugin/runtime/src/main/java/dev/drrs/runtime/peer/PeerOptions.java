package dev.drrs.runtime.peer;

import java.time.Duration;

/**
 * Bounds of one exchange. Immutable; the {@code with..} methods return a changed copy.
 *
 * @param maxMessageBytes longest message that a writer accepts and a reader takes; must not be
 *     smaller at the reader
 * @param signalQueueBytes bytes of waiting signals from which on {@link PeerWriter#hasRoom()} is
 *     false
 * @param signalQueueMessages number of waiting signals from which on {@link PeerWriter#hasRoom()}
 *     is false
 * @param bulkQueueBytes bytes of waiting bulk messages from which on {@link PeerWriter#sendBulk}
 *     blocks
 * @param closeGrace how long a writer that is closed hard waits for the consumer to notice before
 *     it takes the partition away
 */
public record PeerOptions(
        int maxMessageBytes,
        long signalQueueBytes,
        int signalQueueMessages,
        long bulkQueueBytes,
        Duration closeGrace) {

    public static final PeerOptions DEFAULT =
            new PeerOptions(1 << 30, 4 << 20, 16_384, 4 << 20, Duration.ofSeconds(2));

    public PeerOptions {
        if (maxMessageBytes < 1
                || signalQueueBytes < 1
                || signalQueueMessages < 1
                || bulkQueueBytes < 1) {
            throw new IllegalArgumentException(
                    "Every bound of a peer exchange must be at least 1.");
        }
        if (closeGrace.isNegative()) {
            throw new IllegalArgumentException(
                    "The grace time of a peer exchange must not be negative.");
        }
    }

    public PeerOptions withMaxMessageBytes(int bytes) {
        return new PeerOptions(
                bytes, signalQueueBytes, signalQueueMessages, bulkQueueBytes, closeGrace);
    }

    public PeerOptions withSignalQueue(long bytes, int messages) {
        return new PeerOptions(maxMessageBytes, bytes, messages, bulkQueueBytes, closeGrace);
    }

    public PeerOptions withBulkQueueBytes(long bytes) {
        return new PeerOptions(
                maxMessageBytes, signalQueueBytes, signalQueueMessages, bytes, closeGrace);
    }

    public PeerOptions withCloseGrace(Duration grace) {
        return new PeerOptions(
                maxMessageBytes, signalQueueBytes, signalQueueMessages, bulkQueueBytes, grace);
    }
}
