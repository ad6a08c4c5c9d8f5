package dev.drrs.benchmarks;

import dev.drrs.runtime.task.BenchmarkHooks;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Which subtask a record goes to; one operation is a record. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeyGroupRoutingBenchmark {

    private static final int CHANNELS = 8;

    @Param(Hooks.NONE)
    public String hooks;

    private KeyGroupStreamPartitioner<Long, Long> partitioner;
    private SerializationDelegate<StreamElement>[] bids;

    @Setup
    @SuppressWarnings({"unchecked", "rawtypes"})
    public void setUp() {
        partitioner = new KeyGroupStreamPartitioner<>(value -> value, Bids.KEY_GROUPS);
        partitioner.setup(CHANNELS);
        List<SerializationDelegate<StreamElement>> made = Bids.below(Bids.KEY_GROUPS);
        bids = made.toArray(new SerializationDelegate[0]);
        if (hooks.equals(Hooks.ELASTIC)) {
            int[] placement =
                    IntStream.range(0, Bids.KEY_GROUPS)
                            .map(g -> g * CHANNELS / Bids.KEY_GROUPS)
                            .toArray();
            BenchmarkHooks.route(partitioner, placement);
        }
    }

    @Benchmark
    @OperationsPerInvocation(Bids.RECORDS)
    @SuppressWarnings({"unchecked", "rawtypes"})
    public int selectChannel() {
        int sum = 0;
        for (SerializationDelegate<StreamElement> bid : bids) {
            sum += partitioner.selectChannel((SerializationDelegate) bid);
        }
        return sum;
    }
}
