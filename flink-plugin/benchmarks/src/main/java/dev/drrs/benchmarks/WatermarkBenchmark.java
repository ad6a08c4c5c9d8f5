package dev.drrs.benchmarks;

import dev.drrs.protocol.Valve;
import dev.drrs.runtime.task.ChannelEventTime;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.watermark.Watermark;
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

/**
 * A watermark on one of several channels: Flink's valve, and the plug-in's that an elastic task has
 * in its place (called directly, without the advice in front of it). One operation is a watermark;
 * all channels advance in turn.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WatermarkBenchmark {

    private static final int CHANNELS = 8;
    private static final int ROUNDS = 64;

    @Param(Hooks.NONE)
    public String hooks;

    private final CountingOutput output = new CountingOutput();
    private Way way;
    private long time;

    /** How a watermark goes in. */
    private interface Way {
        void watermark(Watermark watermark, int channel) throws Exception;
    }

    @Setup
    public void setUp() {
        way = hooks.equals(Hooks.ELASTIC) ? elastic() : stock();
    }

    private Way stock() {
        StatusWatermarkValve valve = new StatusWatermarkValve(CHANNELS);
        return (watermark, channel) -> valve.inputWatermark(watermark, channel, output);
    }

    /** In a method of its own: its classes are not there in a stock JVM. */
    private Way elastic() {
        ChannelEventTime eventTime = new ChannelEventTime(new Valve(CHANNELS));
        return (watermark, channel) ->
                eventTime.watermark(channel, watermark.getTimestamp(), output);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * CHANNELS)
    public long inputWatermark() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            time++;
            for (int channel = 0; channel < CHANNELS; channel++) {
                way.watermark(new Watermark(time), channel);
            }
        }
        return output.sum;
    }
}
