package dev.drrs.runtime.task;

import dev.drrs.flink.InputAccess;
import java.io.IOException;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.api.CancelCheckpointMarker;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointableTask;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierTracker;
import org.apache.flink.streaming.runtime.io.checkpointing.SingleCheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * What a task's barrier handler waits for: the channels of active producers. Mailbox thread only;
 * changed between checkpoints, which is the coordinator's business.
 */
public final class BarrierChannels {

    /** The handler does not ask which one it is. */
    private static final InputChannelInfo ANY_CHANNEL = new InputChannelInfo(0, 0);

    private final Object handler;

    private BarrierChannels(Object handler) {
        this.handler = handler;
    }

    /** Called from the constructors of Flink's two handlers. */
    public static void created(Object handler, CheckpointableTask owner) {
        ElasticTask task = owner instanceof StreamTask<?, ?> stream ? ElasticTask.of(stream) : null;
        if (task != null) {
            BarrierChannels channels = new BarrierChannels(handler);
            channels.add(-task.absentChannels());
            task.barrierChannels(channels);
        }
    }

    /**
     * Barriers of this checkpoint and of those before it, read or still to come, hold no channel.
     * To be called before a channel joins that never carried them: the handler would wait for them.
     * One that only counts holds none.
     */
    void cancel(long checkpoint) throws IOException {
        if (handler instanceof SingleCheckpointBarrierHandler aligning) {
            aligning.processCancellationBarrier(
                    new CancelCheckpointMarker(checkpoint), ANY_CHANNEL);
        }
    }

    void add(int channels) {
        if (handler instanceof SingleCheckpointBarrierHandler aligning) {
            InputAccess.addChannels(aligning, channels);
        } else {
            InputAccess.addChannels((CheckpointBarrierTracker) handler, channels);
        }
    }
}
