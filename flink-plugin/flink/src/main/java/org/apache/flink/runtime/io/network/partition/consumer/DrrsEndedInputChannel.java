package org.apache.flink.runtime.io.network.partition.consumer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.event.TaskEvent;
import org.apache.flink.runtime.io.network.api.EndOfData;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.api.StopMode;
import org.apache.flink.runtime.io.network.api.serialization.EventSerializer;
import org.apache.flink.runtime.io.network.buffer.Buffer;

/**
 * A channel that brings nothing but its end: stands for producers that had ended before the task
 * was deployed. Without it an input all of whose producers have ended would never end in that task.
 * Here because what an input channel has to implement is for this package only.
 *
 * <p>Read by the task's thread; released by it or when the task is cancelled.
 */
public final class DrrsEndedInputChannel extends InputChannel {

    private final ArrayDeque<AbstractEvent> events =
            new ArrayDeque<>(List.of(new EndOfData(StopMode.DRAIN), EndOfPartitionEvent.INSTANCE));

    private int sequenceNumber;
    private volatile boolean released;

    /**
     * @param inPlaceOf the channel that it stands for
     */
    public DrrsEndedInputChannel(SingleInputGate gate, InputChannel inPlaceOf) {
        super(
                gate,
                inPlaceOf.getChannelIndex(),
                inPlaceOf.getPartitionId(),
                inPlaceOf.getConsumedSubpartitionIndexSet(),
                0,
                0,
                new SimpleCounter(),
                new SimpleCounter());
    }

    @Override
    void requestSubpartitions() {
        notifyChannelNonEmpty();
    }

    @Override
    public Optional<BufferAndAvailability> getNextBuffer() throws IOException {
        AbstractEvent event = events.poll();
        if (released || event == null) {
            return Optional.empty();
        }
        Buffer.DataType next =
                events.isEmpty() ? Buffer.DataType.NONE : Buffer.DataType.END_OF_PARTITION;
        return Optional.of(
                new BufferAndAvailability(
                        EventSerializer.toBuffer(event, false), next, 0, sequenceNumber++));
    }

    @Override
    protected int peekNextBufferSubpartitionIdInternal() {
        return 0;
    }

    @Override
    public void resumeConsumption() {}

    @Override
    public void acknowledgeAllRecordsProcessed() {}

    @Override
    void sendTaskEvent(TaskEvent event) {}

    @Override
    boolean isReleased() {
        return released;
    }

    @Override
    void releaseAllResources() {
        released = true;
    }

    @Override
    void announceBufferSize(int newBufferSize) {}

    @Override
    int getBuffersInUseCount() {
        return 0;
    }

    @Override
    public String toString() {
        return "channel of producers that have ended, for " + partitionId;
    }
}
