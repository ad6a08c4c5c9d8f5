package dev.drrs.gateway;

import dev.drrs.nexmark.generator.Mode;
import dev.drrs.nexmark.generator.RateSchedule;
import dev.drrs.nexmark.generator.Workload;
import dev.drrs.nexmark.source.NexmarkSource;
import dev.drrs.nexmark.source.Opening;
import dev.drrs.nexmark.source.Pacing;
import dev.drrs.nexmark.source.PreloadRange;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.PartFileInfo;
import org.apache.flink.streaming.api.functions.sink.filesystem.RollingPolicy;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Numbers the bids of each auction and hands the lines {@code auction,number} to a sink. Beside the keyed state the
 * operator, or a follower on a FORWARD edge, has operator state; see {@link KeptNumbers}.
 */
final class CountedBids {

    private CountedBids() {}

    /** @param given what {@code Spec} of the Python test names */
    static void build(StreamExecutionEnvironment environment, Map<String, String> given) {
        int parallelism = Integer.parseInt(given.get("parallelism"));
        int splits = Integer.parseInt(given.get("splits"));
        environment.setMaxParallelism(128);
        environment.enableCheckpointing(Long.parseLong(given.get("checkpoint-ms")));
        DataStream<ScheduledEvent> bids =
                environment
                        .fromSource(
                                source(given, splits),
                                WatermarkStrategy.noWatermarks(),
                                "nexmark source",
                                ScheduledEventSerializer.TYPE)
                        .uid("source")
                        .setParallelism(splits)
                        .filter(ScheduledEvent::isBid)
                        .uid("bids")
                        .setParallelism(splits);
        sink(lines(bids, given, parallelism), given, parallelism);
    }

    private static SingleOutputStreamOperator<String> lines(
            DataStream<ScheduledEvent> bids, Map<String, String> given, int parallelism) {
        KeptNumbers kept = new KeptNumbers(given.get("name"), given.get("extra"));
        boolean behind = given.get("keeper").equals("follower");
        SingleOutputStreamOperator<String> lines =
                bids.keyBy(event -> event.bid().auction(), Types.LONG)
                        .process(new NumberBids(behind ? null : kept))
                        .returns(Types.STRING)
                        .uid("numbered")
                        .name("numbered")
                        .setParallelism(parallelism);
        if (!behind) {
            return lines;
        }
        return lines.process(new KeepNumbers(kept))
                .uid("follower")
                .name("follower")
                .setParallelism(parallelism)
                .startNewChain();
    }

    private static void sink(
            SingleOutputStreamOperator<String> lines, Map<String, String> given, int parallelism) {
        String directory = given.get("output");
        switch (given.get("sink")) {
            case "chained" ->
                    lines.sinkTo(new FilesInTwoPhases(directory)).uid("sink").setParallelism(parallelism);
            case "global" ->
                    lines.sinkTo(new FilesInThreePhases(directory)).uid("sink").setParallelism(parallelism);
            case "files" ->
                    lines.sinkTo(files(directory, OnCheckpointRollingPolicy.build()))
                            .uid("sink")
                            .setParallelism(parallelism);
            case "open files" ->
                    lines.sinkTo(files(directory, new NeverRoll())).uid("sink").setParallelism(parallelism);
            case "behind" ->
                    lines.rebalance().sinkTo(new FilesInTwoPhases(directory)).uid("sink").setParallelism(2);
            default -> lines.sinkTo(new DiscardingSink<>()).uid("sink").setParallelism(1);
        }
    }

    /** Flink's own sink. */
    private static FileSink<String> files(String directory, RollingPolicy<String, String> rolling) {
        return FileSink.<String>forRowFormat(new Path(directory, "committed"), new SimpleStringEncoder<>())
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(rolling)
                .build();
    }

    /** A file stays open, and in the state of its writer, until the data ends. */
    private static final class NeverRoll implements RollingPolicy<String, String> {
        @Override
        public boolean shouldRollOnCheckpoint(PartFileInfo<String> file) {
            return false;
        }

        @Override
        public boolean shouldRollOnEvent(PartFileInfo<String> file, String line) {
            return false;
        }

        @Override
        public boolean shouldRollOnProcessingTime(PartFileInfo<String> file, long now) {
            return false;
        }
    }

    private static NexmarkSource source(Map<String, String> given, int splits) {
        Workload workload =
                new Workload(
                        Mode.MIXED,
                        Long.parseLong(given.get("seed")),
                        0,
                        Long.parseLong(given.get("events")),
                        Workload.Layout.INTERLEAVED,
                        splits,
                        RateSchedule.constant(Long.parseLong(given.get("rate")), 1),
                        Workload.NEXMARK_BASE_TIME_MS,
                        1);
        boolean hold = Boolean.parseBoolean(given.get("hold"));
        Opening opening = new Opening(given.get("opening"), 0, false, true);
        return NexmarkSource.generating(
                workload, new Pacing(true, 0, 300, hold, 100, Set.of(), 0, 0, opening), new PreloadRange(0, 0));
    }
}
