package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.dsv2.DataStreamV2SinkUtils;
import org.apache.flink.api.connector.dsv2.DataStreamV2SourceUtils;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.datastream.api.ExecutionEnvironment;
import org.apache.flink.datastream.api.common.Collector;
import org.apache.flink.datastream.api.context.PartitionedContext;
import org.apache.flink.datastream.api.extension.eventtime.EventTimeExtension;
import org.apache.flink.datastream.api.extension.eventtime.function.OneInputEventTimeStreamProcessFunction;
import org.apache.flink.datastream.api.extension.eventtime.timer.EventTimeManager;
import org.apache.flink.datastream.impl.ExecutionEnvironmentImpl;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the catalogue does not know or refuses runs as on stock Flink and says why. */
@Timeout(600)
class RefusedOperatorsITCase extends CleanCluster {

    private static final long NUMBERS = 20_000;
    private static final long PER_SECOND = 500;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 2);

    @Refuses("time: an operator of one's own that holds watermarks back, unless vouched for")
    @Refuses("job shapes: an asynchronous call as the keyed operator itself")
    @Refuses("state: raw keyed state")
    @Refuses("state: a function that takes part in checkpoints and does not hear of key groups")
    @Test
    void operatorsThatHoldSomethingElsewhereAreRefusedByName(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "refused-operators";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.configure(
                Configuration.fromMap(
                        Map.of(
                                "drrs.operators.trusted",
                                RefusedOperators.WithRawState.class.getName())));
        KeyedStream<Long, Integer> numbers = KindsOfOperators.numbers(env, NUMBERS, PER_SECOND);
        DataStream<Long> all =
                named(
                                numbers.transform(
                                        "delaying", Types.LONG, new RefusedOperators.Delaying()),
                                "delaying")
                        .union(
                                named(
                                        numbers.transform(
                                                "raw",
                                                Types.LONG,
                                                new RefusedOperators.WithRawState()),
                                        "raw"),
                                named(
                                        AsyncDataStream.orderedWait(
                                                numbers,
                                                new RefusedOperators.Call(),
                                                1,
                                                TimeUnit.MINUTES),
                                        "call"),
                                named(numbers.process(new RefusedOperators.Buffering()), "buffer"));
        RescaledJob.keep(name, all.map(String::valueOf).returns(Types.STRING));

        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        assertRefused(
                rescales,
                "delaying",
                RefusedOperators.Delaying.class.getName(),
                "drrs.operators.trusted");
        assertRefused(
                rescales, "raw", RefusedOperators.WithRawState.class.getName(), "raw keyed state");
        assertRefused(rescales, "call", "AsyncWaitOperator", "in flight");
        assertRefused(
                rescales,
                "buffer",
                RefusedOperators.Buffering.class.getName(),
                "dev.drrs.api.KeyGroupListener");
        job.awaitEnd();

        Map<String, Integer> expected = new HashMap<>();
        for (long number = 0; number < NUMBERS; number++) {
            expected.put(String.valueOf(number), 4);
        }
        // Of each subtask: what does not fill a batch at the end.
        Map<String, Integer> found = KeptResults.of(name);
        assertThat(found).hasSameSizeAs(expected);
        assertThat(found.values().stream().mapToInt(n -> n).sum())
                .isBetween((int) NUMBERS * 4 - 2 * 9, (int) NUMBERS * 4);
    }

    @Refuses("sinks: executeAndCollect at parallelism 1, whose coordinator knows one subtask")
    @Test
    void collectedResultsAreCompleteAsNothingIsRescaled(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(1, false);
        CloseableIterator<Long> results =
                named(
                                KindsOfOperators.numbers(env, NUMBERS, PER_SECOND)
                                        .process(new RefusedOperators.Pass()),
                                "pass")
                        .collectAsync();
        RunningJob job = RunningJob.start(cluster, env, "collected");
        assertRefused(job.rescales(), "pass", "collect sink", "coordinator", "rebalance()");
        TimedNumbers.release();

        Set<Long> found = new TreeSet<>();
        results.forEachRemaining(found::add);
        assertThat(found).hasSize((int) NUMBERS);
    }

    /** A job vertex has the max parallelism of its head only. */
    @Refuses("job shapes: an operator for one subtask chained behind the keyed one")
    @Test
    void theMaxParallelismOfChainedOperatorsIsTheLimit(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(1, false);
        KeyedStream<Long, Integer> numbers = KindsOfOperators.numbers(env, NUMBERS, PER_SECOND);
        limited(numbers, "single", 1);
        limited(numbers, "three", 3);
        RunningJob job = RunningJob.start(cluster, env, "limited");
        RescaleClient rescales = job.rescales();
        assertRefused(rescales, "single", "behind single", "one subtask only");
        assertThat(rescales.vertex("three").path("ceiling").asInt()).isEqualTo(3);
        assertThat(rescales.vertex("three").path("supported").asBoolean()).isTrue();
        job.cancel();
    }

    @Refuses("job shapes: an operator that drrs.operators names, chained behind the keyed one")
    @Test
    void namesThatMeanNothingAreToldOfWithWhatToDo(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(1, false);
        env.configure(
                Configuration.fromMap(
                        Map.of(
                                "drrs.operators", "first;behind second",
                                "drrs.set-aside.records", "10")));
        KeyedStream<Long, Integer> numbers = KindsOfOperators.numbers(env, NUMBERS, PER_SECOND);
        limited(numbers, "first", RescaledJob.CEILING);
        limited(numbers, "second", RescaledJob.CEILING);
        limited(numbers, "third", RescaledJob.CEILING);
        RunningJob job = RunningJob.start(cluster, env, "names");
        RescaleClient rescales = job.rescales();
        assertThat(rescales.vertex("first").path("warnings").toString())
                .contains("drrs.set-aside.records is no option");
        assertRefused(rescales, "second", "names behind second", "name the one at the head");
        assertRefused(rescales, "third", "not in the list drrs.operators");
        job.cancel();
    }

    private static void limited(KeyedStream<Long, Integer> numbers, String name, int most) {
        named(numbers.process(new RefusedOperators.Pass()), name)
                .map(n -> n)
                .name("behind " + name)
                .setMaxParallelism(most)
                .sinkTo(new DiscardingSink<>());
    }

    /** Its channels of watermarks are counted once, also where nothing is elastic. */
    @Refuses("job shapes: DataStream V2")
    @Test
    void aJobOfDataStreamV2WithEventTimeIsLeftAlone(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        ExecutionEnvironmentImpl env =
                (ExecutionEnvironmentImpl) ExecutionEnvironment.getInstance();
        env.getConfiguration().setString("drrs.enabled", "true");
        env.getConfiguration().setString("restart-strategy.type", "disable");
        env.setParallelism(2);
        env.fromSource(
                        DataStreamV2SourceUtils.wrapSource(new NumberSequenceSource(0, NUMBERS)),
                        "numbers")
                .process(
                        EventTimeExtension.<Long>newWatermarkGeneratorBuilder(n -> n)
                                .periodicWatermark()
                                .buildAsProcessFunction())
                .keyBy(KindsOfOperators::key)
                .process(EventTimeExtension.wrapProcessFunction(new PassWithTime()))
                .toSink(DataStreamV2SinkUtils.wrapSink(new DiscardingSink<Long>()));
        JobGraph graph = env.getStreamGraph().getJobGraph();
        cluster.submitJob(graph).get();
        assertThat(cluster.requestJobResult(graph.getJobID()).get().isSuccess()).isTrue();
    }

    private static final class PassWithTime
            implements OneInputEventTimeStreamProcessFunction<Long, Long> {
        @Override
        public void initEventTimeProcessFunction(EventTimeManager manager) {}

        @Override
        public void processRecord(
                Long number, Collector<Long> out, PartitionedContext<Long> context) {
            out.collect(number);
        }
    }

    private static <T> SingleOutputStreamOperator<T> named(
            SingleOutputStreamOperator<T> operator, String name) {
        return operator.name(name).uid(name);
    }

    private static void assertRefused(RescaleClient rescales, String vertex, String... reasons)
            throws Exception {
        JsonNode answer = rescales.vertex(vertex);
        assertThat(answer.path("supported").asBoolean()).as(answer.toString()).isFalse();
        assertThat(answer.path("reason").asText()).contains(reasons);
        assertThatThrownBy(() -> rescales.rescale(vertex, 3))
                .hasMessageContaining("NOT_SUPPORTED")
                .hasMessageContainingAll(reasons);
    }
}
