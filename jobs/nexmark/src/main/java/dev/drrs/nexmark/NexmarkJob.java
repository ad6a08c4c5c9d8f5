package dev.drrs.nexmark;

import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.query.Queries;
import dev.drrs.nexmark.sink.JsonLinesSink;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.NexmarkSource;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.io.IOException;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A Nexmark query as a job: source, bids, keyed operators, sink. */
public final class NexmarkJob {

    private NexmarkJob() {}

    /**
     * Runs the job that the arguments describe, in the environment that {@code flink run} provides.
     */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.execute(build(environment, args));
    }

    /**
     * Adds the job to an environment.
     *
     * @return the name for the job
     * @throws IllegalArgumentException with all faults of the arguments
     * @throws IOException if a replay data set's manifest cannot be read
     */
    public static String build(StreamExecutionEnvironment environment, String... args)
            throws IOException {
        Arguments arguments = Arguments.parse(args);
        configure(environment, arguments);
        SingleOutputStreamOperator<Result> results =
                Queries.build(bids(environment, arguments), arguments);
        results.sinkTo(new JsonLinesSink(arguments.text(Options.OUTPUT)))
                .uid("sink")
                .name("sink")
                .setParallelism(arguments.integer(Options.SINK_PARALLELISM));
        String name = arguments.text(Options.NAME);
        return name.isEmpty() ? "nexmark-" + arguments.text(Options.QUERY) : name;
    }

    private static void configure(StreamExecutionEnvironment environment, Arguments arguments) {
        environment.setRuntimeMode(RuntimeExecutionMode.STREAMING);
        environment.setMaxParallelism(arguments.integer(Options.MAX_PARALLELISM));
        long interval = arguments.number(Options.CHECKPOINT_INTERVAL_MS);
        if (interval > 0) {
            environment.enableCheckpointing(interval);
        }
        if (arguments.flag(Options.UNALIGNED)) {
            environment.getCheckpointConfig().enableUnalignedCheckpoints(true);
        }
    }

    private static DataStream<ScheduledEvent> bids(
            StreamExecutionEnvironment environment, Arguments arguments) throws IOException {
        NexmarkSource source = SourceFactory.create(arguments);
        int parallelism = arguments.integer(Options.SOURCE_PARALLELISM);
        return environment
                .fromSource(
                        source,
                        // The source emits watermarks itself: it knows which events are still to
                        // come.
                        WatermarkStrategy.noWatermarks(),
                        "nexmark source",
                        ScheduledEventSerializer.TYPE)
                .uid("source")
                .setParallelism(parallelism)
                .filter(event -> event.isBid() || event.isPreload())
                .uid("bids")
                .name("bids")
                .setParallelism(parallelism);
    }
}
