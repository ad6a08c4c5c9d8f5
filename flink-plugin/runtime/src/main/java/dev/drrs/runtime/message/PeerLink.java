package dev.drrs.runtime.message;

import java.io.Serializable;

/**
 * One direction of a peer exchange between two subtasks of a vertex, for one rescale.
 *
 * @param rescale number of the rescale within the job's attempt
 * @param from subtask that writes
 * @param to subtask that reads
 * @param probe whether only its raw throughput is measured
 */
public record PeerLink(int rescale, int from, int to, boolean probe) implements Serializable {

    public PeerLink(int rescale, int from, int to) {
        this(rescale, from, to, false);
    }

    /** The other direction. */
    public PeerLink back() {
        return new PeerLink(rescale, to, from);
    }
}
