package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What hangs behind a keyed operator on FORWARD edges scales together with it. */
@Timeout(600)
class ForwardGroupITCase extends CleanCluster {

    private static final long NUMBERS = 48_000;
    private static final long PER_SECOND = 2_000;
    private static final Duration SILENCE = Duration.ofSeconds(6);

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(4, 4);

    @Covers("job shapes: FORWARD edge to another operator")
    @ParameterizedTest
    @CsvSource({"2, 3, false", "3, 5, true", "4, 2, false"})
    void anOperatorAndASink(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "pass-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        keep(name, ForwardEdges.pass(operator(env), "pass"));

        thereAndBack(cluster, env, name, to);

        assertThat(KeptResults.of(name)).isEqualTo(expected(1));
    }

    @Covers("job shapes: FORWARD edges one after the other, in several slot-sharing groups")
    @ParameterizedTest
    @CsvSource({"1, 2, true", "2, 5, false", "6, 5, true"})
    void severalInARowInSlotsOfTheirOwn(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "row-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        DataStream<String> first =
                ForwardEdges.pass(operator(env), "first pass").slotSharingGroup("own");
        DataStream<String> second =
                ForwardEdges.pass(first, "second pass").slotSharingGroup("default");
        second.sinkTo(new KeptResults(name)).name("sink").disableChaining();

        thereAndBack(cluster, env, name, to);

        assertThat(KeptResults.of(name)).isEqualTo(expected(1));
    }

    @Covers("job shapes: FORWARD edges that part and meet again")
    @ParameterizedTest
    @CsvSource({"2, 3, true", "3, 1, false"})
    void twoWaysToOneOperator(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "two-ways-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        DataStream<String> results = operator(env);
        DataStream<String> both = ForwardEdges.pass(results, "pass").union(results);
        keep(name, ForwardEdges.pass(both, "both"));

        thereAndBack(cluster, env, name, to);

        assertThat(KeptResults.of(name)).isEqualTo(expected(2));
    }

    @Covers("job shapes: FORWARD edge before an exchange by key")
    @ParameterizedTest
    @CsvSource({"2, 3, false", "2, 5, true", "5, 3, true"})
    void anotherElasticOperatorBehindTheFollower(
            int from, int to, boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "second-" + from + "-" + to;
        StreamExecutionEnvironment env = environment(from, unaligned);
        DataStream<String> passed = ForwardEdges.pass(operator(env), "pass");
        keep(name, ForwardEdges.countedByTime(passed)).setParallelism(1);

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : new int[] {to, from, to}) {
            job.rescale("operator", target);
            job.rescale("second", target);
        }
        job.awaitEnd();

        assertThat(KeptResults.of(name)).isEqualTo(counted());
    }

    @Covers("job shapes: FORWARD edge behind an operator whose inputs are idle")
    @Test
    void existingSubtasksThatAreIdleTakeOver(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "idle";
        StreamExecutionEnvironment env = environment(3, false);
        DataStream<Tuple2<Long, Long>> numbers =
                TimedNumbers.idleAtFirst(
                        env, "a", NUMBERS / TimedNumbers.SUBTASKS, NUMBERS, 0, SILENCE);
        // The sink is one task that all subtasks send to: it is asked where it stands.
        keep(name, ForwardEdges.pass(SeveralInputs.single(numbers), "pass")).setParallelism(1);

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : new int[] {2, 4, 3}) {
            job.rescale("operator", target);
        }
        job.awaitEnd();

        assertThat(KeptResults.of(name)).isEqualTo(expected(1, 0, 1));
    }

    @Covers("job shapes: predecessor with an exchange by key and a FORWARD edge")
    @Test
    void aSharedPredecessorKeepsItsOtherForwardConsumer(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "shared";
        StreamExecutionEnvironment env = environment(2, false);
        DataStream<Tuple2<Long, Long>> numbers =
                TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND);
        DataStream<Tuple2<Long, Long>> others =
                TimedNumbers.untilReleased(env, "b", NUMBERS, PER_SECOND);
        keep(name, ForwardEdges.pass(SeveralInputs.union(numbers, others), "pass"));
        numbers.map(number -> "number " + number.f0)
                .returns(Types.STRING)
                .startNewChain()
                .sinkTo(new KeptResults(name + " numbers"));

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : new int[] {4, 2, 3}) {
            job.rescale("operator", target);
            assertThat(job.running("Map")).containsExactly(0, 1);
        }
        job.awaitEnd();

        assertThat(KeptResults.of(name + " numbers")).hasSize((int) NUMBERS);
        assertThat(KeptResults.of(name)).isEqualTo(expected(2 * TimedNumbers.SUBTASKS, 0, 1));
    }

    @Covers("failures: failover of operators that scale together")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverKeepsTheGroupTogether(boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "group-failover-" + unaligned;
        StreamExecutionEnvironment env = environment(2, unaligned);
        RescaledJob.restartOnce(env);
        DataStream<String> operator =
                SeveralInputs.connected(
                        TimedNumbers.steady(env, "a", NUMBERS, PER_SECOND / 10),
                        TimedNumbers.steady(env, "b", NUMBERS, PER_SECOND / 10));
        keep(name, ForwardEdges.pass(operator, "pass"));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.rescale("operator", 5);
        job.rescale("operator", 3);
        SeveralInputs.failNow();
        job.awaitRestore();
        assertTogether(job, 3);
        job.rescale("operator", 5);
        assertTogether(job, 5);
        job.awaitEnd();

        // The sink is not transactional: what it got since the checkpoint comes again, unchanged.
        assertThat(KeptResults.of(name).keySet()).isEqualTo(expected(1).keySet());
    }

    @Refuses("requests: a follower of a FORWARD edge by itself")
    @Test
    void aFollowerIsNotRescaledByItself(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "follower";
        StreamExecutionEnvironment env = environment(2, false);
        keep(name, ForwardEdges.pass(operator(env), "pass"));

        RunningJob job = RunningJob.start(cluster, env, name);
        JsonNode leader = job.rescales().vertex("operator");
        JsonNode follower = job.rescales().vertex("pass");
        assertThatThrownBy(() -> job.rescales().rescale("pass", 3))
                .hasMessageContaining("NOT_SUPPORTED")
                .hasMessageContaining("scales together with operator; name operator");
        job.cancel();

        assertThat(leader.path("group").toString()).isEqualTo("[\"operator\",\"pass\"]");
        assertThat(follower.path("group")).isEqualTo(leader.path("group"));
        assertThat(follower.path("supported").asBoolean()).isFalse();
        assertThat(follower.path("ceiling").asInt()).isEqualTo(6);
    }

    @Refuses("job shapes: a RESCALE edge behind the operator")
    @Test
    void aRescaleEdgeIsRefused(@InjectMiniCluster MiniCluster cluster) throws Exception {
        StreamExecutionEnvironment env = environment(2, false);
        keep("refused", ForwardEdges.pass(operator(env).rescale(), "pass"));

        assertThat(refusal(cluster, env)).contains("operator", "pass", "RESCALE", "rebalance()");
    }

    @Refuses("job shapes: FORWARD edge to an operator with another input")
    @Test
    void aSecondInputFromElsewhereIsRefused(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = environment(2, false);
        DataStream<String> others =
                TimedNumbers.untilReleased(env, "c", NUMBERS, PER_SECOND)
                        .map(number -> "c" + number.f0)
                        .returns(Types.STRING);
        keep("refused", ForwardEdges.pass(operator(env).union(others.rebalance()), "pass"));

        assertThat(refusal(cluster, env)).contains("pass", "another input", "c", "REBALANCE");
    }

    @Refuses("job shapes: keyed operator behind a FORWARD edge, by reinterpretAsKeyedStream")
    @Test
    void aKeyedFollowerIsRefused(@InjectMiniCluster MiniCluster cluster) throws Exception {
        StreamExecutionEnvironment env = environment(2, false);
        DataStream<String> keyedAgain =
                DataStreamUtils.reinterpretAsKeyedStream(
                                ForwardEdges.pass(operator(env), "pass"),
                                result -> result.substring(0, result.indexOf('@')),
                                Types.STRING)
                        .reduce((before, result) -> result)
                        .name("reduced")
                        .uid("reduced");
        keep("refused", keyedAgain);

        assertThat(refusal(cluster, env)).contains("keyed without an exchange by key");
    }

    @Refuses("job shapes: watermarks assigned behind the operator, in its chain")
    @Test
    void anAssignerOfWatermarksInTheChainIsRefused(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = environment(2, false);
        keep("refused", assigned(operator(env)));

        assertThat(refusal(cluster, env)).contains("assigner", "further down its chain");
    }

    @Refuses("job shapes: watermarks assigned behind the operator, on a FORWARD edge")
    @Test
    void anAssignerOfWatermarksInAFollowerIsRefused(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = environment(2, false);
        keep("refused", assigned(ForwardEdges.pass(operator(env), "pass")));

        assertThat(refusal(cluster, env)).contains("pass", "assigner", "rebalance()");
    }

    private static DataStream<String> assigned(DataStream<String> results) {
        return results.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
                .name("assigner")
                .uid("assigner");
    }

    /** Why "operator" of this job cannot be rescaled. */
    private static String refusal(MiniCluster cluster, StreamExecutionEnvironment env)
            throws Exception {
        RunningJob job = RunningJob.start(cluster, env, "refused");
        JsonNode vertex = job.rescales().vertex("operator");
        job.cancel();
        assertThat(vertex.path("supported").asBoolean()).isFalse();
        return vertex.path("reason").asText();
    }

    private static void thereAndBack(
            MiniCluster cluster, StreamExecutionEnvironment env, String name, int parallelism)
            throws Exception {
        RunningJob job = RunningJob.start(cluster, env, name);
        int other = env.getParallelism();
        for (int target : new int[] {parallelism, other}) {
            job.rescale("operator", target);
            assertTogether(job, target);
        }
        job.awaitEnd();
    }

    /** The same subtasks of all members run. */
    private static void assertTogether(RunningJob job, int parallelism) throws Exception {
        JsonNode leader = job.rescales().vertex("operator");
        assertThat(leader.path("group").size()).isGreaterThan(1);
        List<Integer> active = new ArrayList<>();
        leader.path("active").forEach(subtask -> active.add(subtask.asInt()));
        assertThat(active).hasSize(parallelism);
        for (JsonNode member : leader.path("group")) {
            assertThat(job.running(member.asText()))
                    .as(member.asText())
                    .containsExactlyElementsOf(active);
        }
    }

    private static DataStream<String> operator(StreamExecutionEnvironment env) {
        return SeveralInputs.connected(
                TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND),
                TimedNumbers.untilReleased(env, "b", NUMBERS, PER_SECOND));
    }

    private static DataStreamSink<String> keep(String job, DataStream<String> results) {
        return results.sinkTo(new KeptResults(job)).name("sink");
    }

    private static Map<String, Integer> expected(int times) {
        return expected(TimedNumbers.SUBTASKS, TimedNumbers.SUBTASKS, times);
    }

    /** Each time of both halves' numbers, with how many of either input meet there. */
    private static Map<String, Integer> expected(int first, int second, int times) {
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / TimedNumbers.SUBTASKS; time++) {
            String met = MetByTime.expected(time % SeveralInputs.KEYS, time, first, second);
            expected.put(met, times);
        }
        return expected;
    }

    /** One result per key and time has been counted. */
    private static Map<String, Integer> counted() {
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / TimedNumbers.SUBTASKS; time++) {
            expected.put(MetByTime.expected(time % SeveralInputs.KEYS, time, 1, 0), 1);
        }
        return expected;
    }

    private static StreamExecutionEnvironment environment(int parallelism, boolean unaligned) {
        TimedNumbers.holdUntilReleased();
        Configuration configuration = new Configuration();
        configuration.setString("drrs.enabled", "true");
        configuration.setString("drrs.ceiling", "6");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.enableCheckpointing(200);
        env.getCheckpointConfig().enableUnalignedCheckpoints(unaligned);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        return env;
    }
}
