package dev.drrs.gateway.shapes;

import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;

/** Where results go, by name; all but files are kept in memory, see {@link Results}. */
final class Sinks {

    private Sinks() {}

    /** @param parallelism of the sink, which is chained if it is that of the results and they are not rebalanced */
    static void add(String name, DataStream<Result> results, Shape shape, String uid, int parallelism) {
        SingleOutputStreamOperator<String> lines =
                results.map(Result::toString).returns(String.class).uid(uid + "-lines").setParallelism(parallelism);
        switch (name) {
            case "kept" -> add(lines, new KeepingSink(shape.name(), shape.slow(), 1), uid, parallelism);
            case "buffered" -> add(lines, new KeepingSink(shape.name(), shape.slow(), 25), uid, parallelism);
            case "committed" -> add(lines, new CommittingSink(shape.name(), shape.slow()), uid, parallelism);
            case "files" ->
                    add(
                            lines,
                            FileSink.<String>forRowFormat(new Path(shape.output()), new SimpleStringEncoder<>())
                                    .withBucketAssigner(new BasePathBucketAssigner<>())
                                    .withRollingPolicy(OnCheckpointRollingPolicy.build())
                                    .build(),
                            uid,
                            parallelism);
            case "function" ->
                    lines.addSink(new KeepingFunction(shape.name(), shape.slow()))
                            .uid(uid)
                            .name(uid)
                            .setParallelism(parallelism);
            default -> throw new IllegalArgumentException("no sink " + name);
        }
    }

    private static void add(DataStream<String> lines, Sink<String> sink, String uid, int parallelism) {
        lines.sinkTo(sink).uid(uid).name(uid).setParallelism(parallelism);
    }

    /** A sink of the old kind. */
    @SuppressWarnings("deprecation")
    private static final class KeepingFunction implements SinkFunction<String> {
        private final String job;
        private final long slow;

        KeepingFunction(String job, long slow) {
            this.job = job;
            this.slow = slow;
        }

        @Override
        public void invoke(String line, Context context) {
            Gates.of(job).pass(slow);
            Results.of(job).add(line);
        }
    }
}
