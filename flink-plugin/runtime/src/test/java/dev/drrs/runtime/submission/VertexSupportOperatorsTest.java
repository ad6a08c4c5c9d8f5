package dev.drrs.runtime.submission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.DrrsOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.sink.filesystem.legacy.StreamingFileSink;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Only operators that are known, or vouched for, get into elastic tasks. */
@SuppressWarnings("deprecation") // what is deprecated is still in jobs
class VertexSupportOperatorsTest {

    private interface Build {
        DataStream<?> of(KeyedStream<Long, Long> keyed);
    }

    private static final String OWN = OwnOperators.class.getName() + "$";

    private final StreamExecutionEnvironment env = newEnvironment(2);

    private static StreamExecutionEnvironment newEnvironment(int parallelism) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(parallelism);
        return env;
    }

    private static KeyedStream<Long, Long> keyed(StreamExecutionEnvironment env) {
        return env.fromSequence(0, 9).keyBy(n -> n % 3, Types.LONG);
    }

    private KeyedStream<Long, Long> keyed() {
        return keyed(env);
    }

    private static Arguments known(String name, Build build) {
        return Arguments.of(name, build);
    }

    static Stream<Arguments> knownOperators() {
        return Stream.of(
                known("map", keyed -> keyed.map(n -> n)),
                known("flatMap", keyed -> keyed.flatMap((n, out) -> out.collect(n), Types.LONG)),
                known("filter", keyed -> keyed.filter(n -> n > 0)),
                known("reduce", keyed -> keyed.reduce(Long::sum)),
                known("sum", keyed -> keyed.map(n -> n).keyBy(n -> n).sum(0)),
                known("process", keyed -> keyed.process(new OwnOperators.Keyed())),
                known("window", keyed -> keyed.window(tumbling()).reduce(Long::sum)),
                known(
                        "session",
                        keyed ->
                                keyed.window(EventTimeSessionWindows.withGap(Duration.ofMillis(1)))
                                        .reduce(Long::sum)),
                known(
                        "evictor",
                        keyed ->
                                keyed.window(tumbling())
                                        .evictor(CountEvictor.of(2))
                                        .reduce(Long::sum)),
                known("co process", keyed -> keyed.connect(keyed).process(new Both())),
                known("old co process", keyed -> keyed.connect(keyed).process(new PlainBoth())),
                known(
                        "interval join",
                        keyed ->
                                keyed.intervalJoin(keyed)
                                        .between(Duration.ZERO, Duration.ZERO)
                                        .process(new Joined())),
                known(
                        "window join",
                        keyed ->
                                keyed.join(keyed)
                                        .where(n -> n, Types.LONG)
                                        .equalTo(n -> n, Types.LONG)
                                        .window(tumbling())
                                        .apply(Long::sum, Types.LONG)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("knownOperators")
    void keyedOperatorsOfTheDataStreamApiAreKnown(String name, Build build) {
        build.of(keyed()).sinkTo(new DiscardingSink<>());
        assertThat(faults(Map.of())).isNotEmpty().allSatisfy(fault -> assertThat(fault).isNull());
    }

    @Test
    void anOperatorOfOnesOwnIsRefusedByItsClass() {
        keyed().transform("own", Types.LONG, new OwnOperators.Operator());
        assertThat(fault(Map.of()))
                .contains(OWN + "Operator", "not known", "drrs.operators.trusted");
    }

    @Test
    void anOperatorDerivedFromOneOfFlinkIsRefusedByItsClass() {
        keyed().transform("own", Types.LONG, new OwnOperators.Derived());
        assertThat(fault(Map.of())).contains(OWN + "Derived", "not known");
    }

    /** What it says of its operators is not to be relied on. */
    @Test
    void aFactoryOfOnesOwnIsRefusedByItsClass() {
        keyed().transform("own", Types.LONG, new OwnOperators.Factory());
        assertThat(fault(Map.of())).contains(OWN + "Factory", "not known");
        assertThat(fault(trusting(OWN + "Factory"))).isNull();
    }

    @Test
    void whatTheJobVouchesForByClassOrPackageIsAccepted() {
        keyed().transform("own", Types.LONG, new OwnOperators.Operator());
        assertThat(fault(trusting(" other.Class ; " + OWN + "Operator"))).isNull();
        assertThat(fault(trusting("dev.drrs.runtime.*"))).isNull();
        assertThat(fault(trusting("dev.drrs.run.*"))).isNotNull();
        assertThat(fault(trusting(OWN + "Operat"))).isNotNull();
    }

    @Test
    void rawKeyedStateIsRefusedEvenIfTheJobVouchesForTheOperator() {
        keyed().transform("own", Types.LONG, new OwnOperators.WithRawState());
        assertThat(fault(trusting("dev.*"))).contains(OWN + "WithRawState", "raw keyed state");
    }

    @Test
    void aCheckpointedFunctionIsRefusedByName() {
        keyed().process(new OwnOperators.Checkpointed());
        assertThat(fault(Map.of()))
                .contains(
                        OWN + "Checkpointed",
                        "CheckpointedFunction",
                        "dev.drrs.api.KeyGroupListener",
                        "drrs.operators.trusted");
        assertThat(fault(trusting(OWN + "Checkpointed"))).isNull();
    }

    @Test
    void aListCheckpointedFunctionIsRefusedByName() {
        keyed().process(new OwnOperators.ListFunction());
        assertThat(fault(Map.of())).contains(OWN + "ListFunction");
    }

    @Test
    void aCheckpointedFunctionThatHearsOfKeyGroupsIsAccepted() {
        keyed().process(new OwnOperators.Listening());
        assertThat(fault(Map.of())).isNull();
    }

    @Test
    void aCheckpointedFunctionInTheChainIsRefusedByName() {
        keyed().process(new OwnOperators.Keyed()).process(new OwnOperators.Buffering()).name("buf");
        assertThat(fault(Map.of())).contains("operator buf in its chain", OWN + "Buffering");
        assertThat(fault(trusting(OWN + "Buffering"))).isNull();
    }

    @Test
    void aCheckpointedFunctionOfFlinkIsRefusedByNameAsWell() {
        keyed().process(new OwnOperators.Keyed())
                .addSink(
                        StreamingFileSink.<Long>forRowFormat(
                                        new Path("file:///tmp/none"), new SimpleStringEncoder<>())
                                .build());
        assertThat(fault(Map.of())).contains("StreamingFileSink", "KeyGroupListener");
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        keyed().transform("own", Types.LONG, new OwnOperators.Operator())
                .process(new OwnOperators.Buffering());
        assertThat(fault(Map.of())).contains(OWN + "Operator", OWN + "Buffering");
    }

    @Test
    void anOperatorOfOnesOwnInTheChainIsRefusedAndBehindAnExchangeIsNot() {
        SingleOutputStreamOperator<Long> results = keyed().process(new OwnOperators.Keyed());
        results.transform("own", Types.LONG, new OwnOperators.Operator());
        results.rebalance().transform("far", Types.LONG, new OwnOperators.Operator());
        assertThat(fault(Map.of()))
                .contains("operator own in its chain", OWN + "Operator")
                .doesNotContain("far");
    }

    @Test
    void anOperatorOfOnesOwnInATaskThatFollowsIsRefused() {
        keyed().process(new OwnOperators.Keyed())
                .map(n -> n)
                .startNewChain()
                .name("follower")
                .transform("own", Types.LONG, new OwnOperators.Operator());
        assertThat(fault(Map.of()))
                .contains("FORWARD", "follower", "there own is of class " + OWN + "Operator");
    }

    @Test
    void anAsynchronousCallIsRefusedAsKeyedOperatorOnly() {
        AsyncFunction<Long, Long> call = (n, result) -> result.complete(List.of(n));
        SingleOutputStreamOperator<Long> results = keyed().process(new OwnOperators.Keyed());
        AsyncDataStream.orderedWait(results, call, 1, TimeUnit.SECONDS).returns(Types.LONG);
        assertThat(fault(Map.of())).isNull();
        AsyncDataStream.unorderedWait(keyed(), call, 1, TimeUnit.SECONDS).returns(Types.LONG);
        assertThat(faults(Map.of()))
                .anySatisfy(fault -> assertThat(fault).contains("AsyncWaitOperator", "in flight"));
    }

    @Test
    void aFunctionThatSeesTheClockOfItsTaskIsRefusedAsKeyedOperatorOnly() {
        keyed().process(new OwnOperators.Keyed()).process(new Plain());
        assertThat(fault(Map.of())).isNull();
        keyed().process(new Plain());
        assertThat(faults(Map.of()))
                .anySatisfy(
                        fault ->
                                assertThat(fault)
                                        .contains("ProcessOperator", "use a KeyedProcessFunction"));
    }

    @Test
    void aSinkFunctionIsRefusedAsKeyedOperatorOnly() {
        keyed().process(new OwnOperators.Keyed()).addSink(new Writing());
        assertThat(fault(Map.of())).isNull();
        keyed().addSink(new Writing());
        assertThat(faults(Map.of()))
                .anySatisfy(fault -> assertThat(fault).contains("StreamSink", "put an operator"));
    }

    @Test
    void asynchronousStateIsRefused() {
        keyed().enableAsyncState().process(new OwnOperators.Keyed());
        assertThat(fault(Map.of())).contains("AsyncKeyedProcessOperator", "asynchronous state");
    }

    @Test
    void anOperatorWithACoordinatorIsRefusedByItsName() throws Exception {
        StreamExecutionEnvironment one = newEnvironment(1);
        keyed(one).process(new OwnOperators.Keyed()).collectAsync();
        assertThat(faults(one, Map.of()))
                .singleElement()
                .asString()
                .contains("Data stream collect sink", "coordinator", "rebalance()");
    }

    @Test
    void aCoordinatorIsRefusedByNameEvenIfTheJobVouchesForTheOperator() {
        SingleOutputStreamOperator<Long> results = keyed().process(new OwnOperators.Keyed());
        results.transform("chained", Types.LONG, new OwnOperators.Coordinated());
        assertThat(fault(trusting("dev.*")))
                .contains("operator chained in its chain has a coordinator", "give chained a");
    }

    @Test
    void aCoordinatorInATaskThatFollowsIsRefusedByName() {
        SingleOutputStreamOperator<Long> results = keyed().process(new OwnOperators.Keyed());
        results.transform("follower", Types.LONG, new OwnOperators.Coordinated()).startNewChain();
        assertThat(fault(trusting("dev.*"))).contains("there follower has a coordinator");
    }

    @Test
    void anOperatorForOneSubtaskIsRefusedByItsName() {
        StreamExecutionEnvironment one = newEnvironment(1);
        keyed(one).process(new OwnOperators.Keyed()).map(n -> n).name("only").setMaxParallelism(1);
        StreamGraph plan = one.getStreamGraph();
        JobGraph graph = plan.getJobGraph(getClass().getClassLoader());
        ChainLimits limits = new ChainLimits(plan, getClass().getClassLoader());
        assertThat(limits.fault(graph.getVertices())).contains("only", "one subtask only");
    }

    @Test
    void theLeastMaxParallelismInAChainIsItsLimit() {
        keyed().process(new OwnOperators.Keyed())
                .map(n -> n)
                .setMaxParallelism(7)
                .map(n -> n)
                .setMaxParallelism(5)
                .name("five");
        StreamGraph plan = env.getStreamGraph();
        JobGraph graph = plan.getJobGraph(getClass().getClassLoader());
        ChainLimits limits = new ChainLimits(plan, getClass().getClassLoader());
        assertThat(limits.fault(graph.getVertices())).isNull();
        assertThat(graph.getVertices())
                .filteredOn(vertex -> !vertex.getInputs().isEmpty())
                .singleElement()
                .satisfies(
                        vertex ->
                                assertThat(limits.of(vertex))
                                        .contains(new ChainLimits.Limit("five", 5)));
    }

    private static TumblingEventTimeWindows tumbling() {
        return TumblingEventTimeWindows.of(Duration.ofMillis(1));
    }

    private static Map<String, String> trusting(String list) {
        return Map.of(DrrsOptions.TRUSTED.key(), list);
    }

    private String fault(Map<String, String> options) {
        List<String> all = faults(options);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private List<String> faults(Map<String, String> options) {
        return faults(env, options);
    }

    private List<String> faults(StreamExecutionEnvironment from, Map<String, String> options) {
        ClassLoader loader = getClass().getClassLoader();
        VertexSupport support = new VertexSupport(Configuration.fromMap(options), loader);
        JobGraph graph = from.getStreamGraph(false).getJobGraph(loader);
        List<JobVertex> sorted = graph.getVerticesSortedTopologicallyFromSources();
        return sorted.stream()
                .filter(support::isKeyed)
                .map(
                        vertex -> {
                            String fault = support.fault(vertex);
                            return fault != null
                                    ? fault
                                    : new ForwardGroup(vertex, sorted, support, loader).fault();
                        })
                .toList();
    }

    private static final class Plain extends ProcessFunction<Long, Long> {
        @Override
        public void processElement(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }
    }

    private static final class Both extends KeyedCoProcessFunction<Long, Long, Long, Long> {
        @Override
        public void processElement1(Long n, Context context, Collector<Long> out) {}

        @Override
        public void processElement2(Long n, Context context, Collector<Long> out) {}
    }

    private static final class PlainBoth extends CoProcessFunction<Long, Long, Long> {
        @Override
        public void processElement1(Long n, Context context, Collector<Long> out) {}

        @Override
        public void processElement2(Long n, Context context, Collector<Long> out) {}
    }

    private static final class Joined extends ProcessJoinFunction<Long, Long, Tuple2<Long, Long>> {
        @Override
        public void processElement(
                Long a, Long b, Context context, Collector<Tuple2<Long, Long>> out) {}
    }

    private static final class Writing implements SinkFunction<Long> {}
}
