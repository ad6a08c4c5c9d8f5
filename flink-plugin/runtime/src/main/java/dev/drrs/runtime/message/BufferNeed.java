package dev.drrs.runtime.message;

import java.io.Serializable;

/**
 * Network buffers that something will take on a TaskManager.
 *
 * @param buffers those that the JobManager can count
 * @param remoteChannels channels to other TaskManagers, each of which takes as many more as the
 *     TaskManager is configured to give it
 */
public record BufferNeed(int buffers, int remoteChannels) implements Serializable {

    public static final BufferNeed NONE = new BufferNeed(0, 0);

    /** The end of a peer exchange that sends: a partition with one subpartition. */
    public static final int OF_WRITER = 2;

    /** The end that receives: a gate, beside its channel. */
    public static final int OF_GATE = 1;

    public BufferNeed plus(int moreBuffers, int moreRemoteChannels) {
        return new BufferNeed(buffers + moreBuffers, remoteChannels + moreRemoteChannels);
    }

    /** With so many buffers for each remote channel. */
    public int total(int buffersPerChannel) {
        return buffers + remoteChannels * buffersPerChannel;
    }
}
