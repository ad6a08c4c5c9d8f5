package dev.drrs.benchmarks;

import dev.drrs.runtime.task.BenchmarkHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
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
 * A serialized record into a result partition, and the full buffers out of the gate; one operation
 * is a record.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EmitBenchmark {

    private static final int SUBPARTITIONS = 8;
    private static final int ACTIVE = 2;
    private static final int RECORD_BYTES = 64;

    @Param(Hooks.NONE)
    public String hooks;

    private LocalExchange exchange;
    private ByteBuffer bid;

    @Setup
    public void setUp() throws Exception {
        exchange = new LocalExchange(SUBPARTITIONS);
        bid = ByteBuffer.allocate(RECORD_BYTES);
        if (hooks.equals(Hooks.ELASTIC)) {
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
    }

    @Benchmark
    @OperationsPerInvocation(Bids.RECORDS)
    public int emitRecord() throws IOException, InterruptedException {
        for (int i = 0; i < Bids.RECORDS; i++) {
            bid.clear();
            exchange.partition.emitRecord(bid, 0);
        }
        int bytes = 0;
        Optional<BufferOrEvent> next;
        while ((next = exchange.gate.pollNext()).isPresent()) {
            bytes += next.get().getSize();
            next.get().getBuffer().recycleBuffer();
        }
        return bytes;
    }
}
