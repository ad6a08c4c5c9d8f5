package dev.drrs.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.event.TaskEvent;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.apache.flink.runtime.io.network.buffer.NetworkBuffer;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;

/** A gate with one channel that has the same buffer again and again, and never anything else. */
final class LoopGate extends InputGate {

    private static final InputChannelInfo CHANNEL = new InputChannelInfo(0, 0);

    private final Buffer buffer;

    /**
     * @param bytes whole records
     */
    LoopGate(byte[] bytes) {
        MemorySegment segment = MemorySegmentFactory.wrapCopy(bytes, 0, bytes.length);
        buffer =
                new NetworkBuffer(
                        segment,
                        FreeingBufferRecycler.INSTANCE,
                        Buffer.DataType.DATA_BUFFER,
                        bytes.length);
    }

    @Override
    public Optional<BufferOrEvent> pollNext() {
        return Optional.of(new BufferOrEvent(buffer.retainBuffer(), CHANNEL));
    }

    @Override
    public Optional<BufferOrEvent> getNext() {
        return pollNext();
    }

    @Override
    public int getNumberOfInputChannels() {
        return 1;
    }

    @Override
    public List<InputChannelInfo> getChannelInfos() {
        return List.of(CHANNEL);
    }

    @Override
    public InputChannel getChannel(int channelIndex) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isFinished() {
        return false;
    }

    @Override
    public EndOfDataStatus hasReceivedEndOfData() {
        return EndOfDataStatus.NOT_END_OF_DATA;
    }

    @Override
    public void sendTaskEvent(TaskEvent event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resumeGateConsumption() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resumeConsumption(InputChannelInfo channelInfo) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void acknowledgeAllRecordsProcessed(InputChannelInfo channelInfo) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setup() {}

    @Override
    public void requestPartitions() {}

    @Override
    public CompletableFuture<Void> getStateConsumedFuture() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> getBufferFilteringCompleteFuture() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void finishReadRecoveredState() {}

    @Override
    public void close() {}
}
