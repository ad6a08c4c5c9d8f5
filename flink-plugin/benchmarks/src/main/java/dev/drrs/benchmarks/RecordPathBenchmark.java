package dev.drrs.benchmarks;

import dev.drrs.runtime.task.BenchmarkHooks;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelector;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.api.writer.RecordWriterBuilder;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.io.DataInputStatus;
import org.apache.flink.streaming.runtime.io.StreamTaskNetworkInput;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A record's whole way from the output of one subtask to the operator of another: key,
 * serialization, routing, result partition, gate, network input. One operation is a record.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RecordPathBenchmark {

    private static final int SUBPARTITIONS = 8;
    private static final int ACTIVE = 2;

    @Param(Hooks.NONE)
    public String hooks;

    private final CountingOutput output = new CountingOutput();
    private LocalExchange exchange;
    private IOManager ioManager;
    private RecordWriter<SerializationDelegate<StreamElement>> writer;
    private StreamTaskNetworkInput<Long> input;
    private SerializationDelegate<StreamElement>[] bids;

    @Setup
    @SuppressWarnings({"unchecked", "rawtypes"})
    public void setUp() throws Exception {
        exchange = new LocalExchange(SUBPARTITIONS);
        KeyGroupStreamPartitioner<Long, Long> partitioner =
                new KeyGroupStreamPartitioner<>(value -> value, Bids.KEY_GROUPS);
        writer =
                new RecordWriterBuilder<SerializationDelegate<StreamElement>>()
                        .setChannelSelector((ChannelSelector) partitioner)
                        .setTimeout(-1)
                        .setTaskName("benchmark")
                        .build(exchange.partition);
        ioManager = new IOManagerAsync();
        CheckpointedInputGate gate =
                new CheckpointedInputGate(exchange.gate, new NoBarriers(), new NoMail());
        input =
                new StreamTaskNetworkInput<>(
                        gate,
                        LongSerializer.INSTANCE,
                        ioManager,
                        new StatusWatermarkValve(1),
                        0,
                        () -> true);
        List<SerializationDelegate<StreamElement>> made =
                Bids.below(Bids.KEY_GROUPS / SUBPARTITIONS);
        bids = made.toArray(new SerializationDelegate[0]);
        if (hooks.equals(Hooks.ELASTIC)) {
            BenchmarkHooks.route(partitioner, new int[Bids.KEY_GROUPS]);
            BenchmarkHooks.output(exchange.partition, ACTIVE);
            BenchmarkHooks.gate(exchange.gate);
        }
    }

    @TearDown
    public void tearDown() throws Exception {
        if (hooks.equals(Hooks.ELASTIC)) {
            BenchmarkHooks.detach(exchange.partition, exchange.gate);
        }
        exchange.close();
        ioManager.close();
    }

    @Benchmark
    @OperationsPerInvocation(Bids.RECORDS)
    public long exchange() throws Exception {
        for (SerializationDelegate<StreamElement> bid : bids) {
            writer.emit(bid);
        }
        DataInputStatus status = input.emitNext(output);
        if (status != DataInputStatus.NOTHING_AVAILABLE) {
            throw new IllegalStateException("the input says " + status);
        }
        return output.sum;
    }
}
