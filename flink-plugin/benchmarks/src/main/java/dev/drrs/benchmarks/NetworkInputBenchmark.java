package dev.drrs.benchmarks;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.io.StreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A network input over prepared buffers; one operation is a record. An elastic task without a
 * rescale has no hook at its network input either, so there is no variant of its own for it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NetworkInputBenchmark {

    private final CountingOutput output = new CountingOutput();
    private IOManager ioManager;
    private StreamTaskNetworkInput<Long> input;
    private long until;

    @Setup
    public void setUp() throws IOException {
        ioManager = new IOManagerAsync();
        CheckpointedInputGate gate =
                new CheckpointedInputGate(new LoopGate(frames()), new NoBarriers(), new NoMail());
        input =
                new StreamTaskNetworkInput<>(
                        gate,
                        LongSerializer.INSTANCE,
                        ioManager,
                        new StatusWatermarkValve(1),
                        0,
                        () -> output.elements < until);
    }

    @TearDown
    public void tearDown() throws Exception {
        ioManager.close();
    }

    @Benchmark
    @OperationsPerInvocation(Bids.RECORDS)
    public long emitNext() throws Exception {
        until += Bids.RECORDS;
        input.emitNext(output);
        if (output.elements != until) {
            throw new IllegalStateException(output.elements + " elements, not " + until);
        }
        return output.sum;
    }

    /** As a record writer makes them: length, then the element. */
    private static byte[] frames() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1 << 15);
        for (SerializationDelegate<StreamElement> bid : Bids.below(Bids.KEY_GROUPS)) {
            int start = out.length();
            out.writeInt(0);
            bid.write(out);
            out.writeIntUnsafe(out.length() - start - Integer.BYTES, start);
        }
        return out.getCopyOfBuffer();
    }
}
