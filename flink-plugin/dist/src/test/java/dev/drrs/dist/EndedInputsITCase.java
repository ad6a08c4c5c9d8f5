package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bounded history beside a live stream: some of an operator's inputs end, others go on. */
@Timeout(600)
class EndedInputsITCase extends CleanCluster {

    private static final long NUMBERS = 48_000;
    private static final long PER_SECOND = 2_000;
    private static final long FEW = 2_000;
    private static final int EACH = TimedNumbers.SUBTASKS;
    private static final int[] WALK = {4, 3, 5, 1, 2};

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers(
            value = "job shapes: two keyed inputs, one of which has ended",
            path = {2, 4, 3, 5, 1, 2})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneOfTwoInputs(boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "ended-two-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        RescaledJob.keep(name, SeveralInputs.connected(live(env), history(env)));

        walkAfterTheEnd(cluster, env, name);

        assertThat(KeptResults.difference(name, met(EACH, 0, EACH))).isEmpty();
    }

    @Covers("job shapes: a union of streams, one of which has ended")
    @Test
    void oneOfAUnion(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ended-union";
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        RescaledJob.keep(name, SeveralInputs.union(live(env), history(env)));

        walkAfterTheEnd(cluster, env, name);

        assertThat(KeptResults.difference(name, met(EACH, EACH, 0))).isEmpty();
    }

    @Covers("job shapes: three keyed inputs, one of which has ended")
    @Test
    void oneOfThreeInputs(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ended-three";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<Tuple2<Long, Long>> live = live(env);
        RescaledJob.keep(name, SeveralInputs.many(live, history(env), live));

        walkAfterTheEnd(cluster, env, name);

        long few = FEW / EACH;
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / EACH; time++) {
            int ended = time < few ? EACH : 0;
            expected.put(ManyInputs.expected(key(time), time, EACH, ended, EACH), 1);
        }
        assertThat(KeptResults.difference(name, expected)).isEmpty();
    }

    @Covers("job shapes: an ended broadcast input")
    @Test
    void aBroadcastInput(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ended-broadcast";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<Tuple2<Long, Long>> rules = env.fromData(Tuple2.of(1L, 1L), Tuple2.of(2L, 2L));
        RescaledJob.keep(name, BroadcastRules.of(live(env), rules));

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int target : WALK) {
            job.rescale("operator", target);
        }
        job.awaitEnd();

        Map<String, Integer> expected = met(EACH, 0, 0);
        for (long key = 0; key < SeveralInputs.KEYS; key++) {
            expected.put(BroadcastRules.expected(key, NUMBERS / SeveralInputs.KEYS, 2), 1);
        }
        assertThat(KeptResults.difference(name, expected)).isEmpty();
    }

    @Covers("job shapes: a source some of whose subtasks have ended")
    @Test
    void someSubtasksOfASource(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ended-subtask";
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        // The first of two halves is soon through, the second one waits.
        DataStream<Tuple2<Long, Long>> uneven = TimedNumbers.unevenUntilReleased(env, "a", NUMBERS);
        RescaledJob.keep(name, SeveralInputs.single(uneven));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.awaitFinishedSubtasks("Source: a", 1);
        for (int target : WALK) {
            job.rescale("operator", target);
        }
        job.awaitEnd();

        assertThat(KeptResults.difference(name, met(EACH, 0, 0))).isEmpty();
    }

    @Covers("job shapes: inputs that end while key groups move, behind other operators")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inTheMiddleOfRescales(boolean unaligned, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "ending-" + unaligned;
        StreamExecutionEnvironment env = RescaledJob.environment(2, unaligned);
        DataStream<Tuple2<Long, Long>> all = live(env);
        long[] lengths = {4_000, 8_000, 12_000, 16_000, 20_000, 24_000};
        for (long length : lengths) { // one after the other, a second or two apart
            DataStream<Tuple2<Long, Long>> one =
                    TimedNumbers.ending(env, "b" + length, length, PER_SECOND)
                            .rebalance()
                            .filter(number -> true)
                            .setParallelism(1);
            all = all.union(one);
        }
        RescaledJob.keep(name, SeveralInputs.single(all));

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int i = 0; i < 2; i++) {
            for (int target : WALK) {
                job.rescale("operator", target);
            }
        }
        job.awaitEnd();

        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / EACH; time++) {
            int count = EACH;
            for (long length : lengths) {
                count += time < length / EACH ? EACH : 0;
            }
            expected.put(MetByTime.expected(key(time), time, count, 0), 1);
        }
        assertThat(KeptResults.difference(name, expected)).isEmpty();
    }

    /** Between two subscales, so that nothing but the rescale itself keeps the job from its end. */
    @Covers("job shapes: all inputs end at once between two subscales")
    @Test
    void allAtOnce(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ending-together";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<Tuple2<Long, Long>> all = atOnce(env);
        for (int others = 0; others < 2; others++) {
            all = all.union(atOnce(env));
        }
        RescaledJob.keep(name, SeveralInputs.single(all));

        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        String id =
                rescales.begin(rescales.request("operator", 4, 16).put("strategy", "reference"));
        rescales.awaitMoved(id); // the next one begins a second after this one did
        job.awaitEnd();

        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < FEW / EACH; time++) {
            expected.put(MetByTime.expected(key(time), time, 3 * EACH, 0), 1);
        }
        assertThat(KeptResults.difference(name, expected)).isEmpty();
    }

    @Covers("failures: restored with an input that has ended, and rescaled again")
    @Test
    void aFailoverAfterTheEnd(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "ended-failover";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.restartOnce(env);
        DataStream<Tuple2<Long, Long>> live =
                TimedNumbers.steady(env, "a", NUMBERS, PER_SECOND / 10);
        RescaledJob.keep(name, SeveralInputs.connected(live, history(env)));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.awaitFinishedSubtasks("Source: b", EACH);
        job.rescale("operator", 4);
        SeveralInputs.failNow();
        job.awaitRestore();
        job.awaitFinishedSubtasks("Source: b", EACH);
        job.rescale("operator", 3);
        job.awaitEnd();

        assertThat(KeptResults.of(name).keySet()).isEqualTo(met(EACH, 0, EACH).keySet());
    }

    private static void walkAfterTheEnd(
            MiniCluster cluster, StreamExecutionEnvironment env, String name) throws Exception {
        RunningJob job = RunningJob.start(cluster, env, name);
        job.awaitFinishedSubtasks("Source: b", EACH);
        for (int target : WALK) {
            job.rescale("operator", target);
        }
        job.awaitEnd();
    }

    private static DataStream<Tuple2<Long, Long>> live(StreamExecutionEnvironment env) {
        return TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND);
    }

    /** When the sources are released one number of each subtask is left. */
    private static DataStream<Tuple2<Long, Long>> atOnce(StreamExecutionEnvironment env) {
        return TimedNumbers.steady(env, "a", FEW, PER_SECOND);
    }

    private static DataStream<Tuple2<Long, Long>> history(StreamExecutionEnvironment env) {
        return TimedNumbers.ending(env, "b", FEW, PER_SECOND);
    }

    private static long key(long time) {
        return time % SeveralInputs.KEYS;
    }

    /** How many of the live stream meet at each time, and of the history in either input. */
    private static Map<String, Integer> met(int live, int historyInFirst, int historyInSecond) {
        Map<String, Integer> expected = new HashMap<>();
        for (long time = 0; time < NUMBERS / EACH; time++) {
            boolean both = time < FEW / EACH;
            expected.put(
                    MetByTime.expected(
                            key(time),
                            time,
                            live + (both ? historyInFirst : 0),
                            both ? historyInSecond : 0),
                    1);
        }
        return expected;
    }
}
