package dev.drrs.nexmark;

import dev.drrs.nexmark.kafka.TopicSource;
import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.query.Behind;
import dev.drrs.nexmark.query.Inputs;
import dev.drrs.nexmark.query.Queries;
import dev.drrs.nexmark.sink.JsonLinesSink;
import dev.drrs.nexmark.sink.Result;
import dev.drrs.nexmark.source.ScheduledEvent;
import dev.drrs.nexmark.source.ScheduledEventSerializer;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A Nexmark query as a job: source, events of a kind, keyed operators, sink. */
public final class NexmarkJob {

    private static final Duration ALIGNMENT_UPDATE = Duration.ofMillis(100);

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
        Inputs inputs = inputs(environment, arguments);
        DataStream<Result> results =
                arguments.text(Options.QUERY).equals("rules")
                        ? Queries.rules(inputs.bids(), rules(environment, arguments), arguments)
                        : Queries.build(inputs, arguments);
        if (arguments.flag(Options.RESCALE_EDGE)) {
            results = results.rescale();
        }
        DataStreamSink<Result> sink =
                Behind.of(results, arguments.text(Options.QUERY) + "-results", arguments)
                        .sinkTo(new JsonLinesSink(arguments.text(Options.OUTPUT)))
                        .uid("sink")
                        .name("sink")
                        .setParallelism(arguments.integer(Options.SINK_PARALLELISM));
        if (Behind.isBroken(arguments)) {
            sink.disableChaining();
        }
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

    private static Inputs inputs(StreamExecutionEnvironment environment, Arguments arguments)
            throws IOException {
        DataStream<ScheduledEvent> first = source(environment, arguments, "");
        DataStream<ScheduledEvent> second =
                arguments.flag(Options.SECOND_SOURCE)
                        ? source(
                                environment,
                                arguments,
                                SourceFactory.createSecond(arguments),
                                WatermarkStrategy.noWatermarks(),
                                "-2")
                        : null;
        return new Inputs(arguments, first, second, "");
    }

    /** The bids of a source of their own, the same as the first one. */
    private static DataStream<ScheduledEvent> rules(
            StreamExecutionEnvironment environment, Arguments arguments) throws IOException {
        String suffix = "-rules";
        return new Inputs(arguments, source(environment, arguments, suffix), null, suffix).bids();
    }

    /** The source that is generated, read from files or from Kafka. */
    private static DataStream<ScheduledEvent> source(
            StreamExecutionEnvironment environment, Arguments arguments, String suffix)
            throws IOException {
        if (arguments.text(Options.KAFKA).isEmpty()) {
            // It emits watermarks itself: it knows which events are still to come.
            return source(
                    environment,
                    arguments,
                    SourceFactory.create(arguments),
                    WatermarkStrategy.noWatermarks(),
                    suffix);
        }
        try {
            return source(
                    environment,
                    arguments,
                    TopicSource.of(arguments, suffix),
                    TopicSource.eventTime(arguments),
                    suffix);
        } catch (NoClassDefFoundError missing) {
            throw new IllegalArgumentException(
                    "--kafka needs the job jar with Flink's connector in it, drrs-nexmark-kafka.jar",
                    missing);
        }
    }

    private static DataStream<ScheduledEvent> source(
            StreamExecutionEnvironment environment,
            Arguments arguments,
            Source<ScheduledEvent, ?, ?> source,
            WatermarkStrategy<ScheduledEvent> watermarks,
            String suffix) {
        long drift = arguments.number(Options.ALIGNMENT_MS);
        if (drift > 0) {
            watermarks =
                    watermarks.withWatermarkAlignment(
                            "sources", Duration.ofMillis(drift), ALIGNMENT_UPDATE);
        }
        return environment
                .fromSource(
                        source,
                        watermarks,
                        "nexmark source" + suffix,
                        ScheduledEventSerializer.TYPE)
                .uid("source" + suffix)
                .setParallelism(arguments.integer(Options.SOURCE_PARALLELISM));
    }
}
