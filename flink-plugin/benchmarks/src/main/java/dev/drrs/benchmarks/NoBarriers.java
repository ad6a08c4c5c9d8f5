package dev.drrs.benchmarks;

import java.io.IOException;
import java.lang.reflect.Proxy;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.api.CancelCheckpointMarker;
import org.apache.flink.runtime.io.network.api.CheckpointBarrier;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointableTask;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierHandler;
import org.apache.flink.util.clock.SystemClock;

/** No checkpoint is ever taken. */
final class NoBarriers extends CheckpointBarrierHandler {

    NoBarriers() {
        super(noTask(), SystemClock.getInstance(), true);
    }

    private static CheckpointableTask noTask() {
        return (CheckpointableTask)
                Proxy.newProxyInstance(
                        NoBarriers.class.getClassLoader(),
                        new Class<?>[] {CheckpointableTask.class},
                        (proxy, method, arguments) -> {
                            throw new UnsupportedOperationException(method.getName());
                        });
    }

    @Override
    public void processBarrier(
            CheckpointBarrier barrier, InputChannelInfo channel, boolean isRpcTriggered)
            throws IOException {
        throw new IOException("a barrier: " + barrier);
    }

    @Override
    public void processBarrierAnnouncement(
            CheckpointBarrier barrier, int sequenceNumber, InputChannelInfo channel)
            throws IOException {
        throw new IOException("a barrier: " + barrier);
    }

    @Override
    public void processCancellationBarrier(CancelCheckpointMarker marker, InputChannelInfo channel)
            throws IOException {
        throw new IOException("a barrier: " + marker);
    }

    @Override
    public void processEndOfPartition(InputChannelInfo channel) {
        // The exchange ends with the benchmark.
    }

    @Override
    public long getLatestCheckpointId() {
        return -1;
    }

    @Override
    protected boolean isCheckpointPending() {
        return false;
    }
}
