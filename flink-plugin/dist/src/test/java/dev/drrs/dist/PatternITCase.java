package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternStream;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Patterns (CEP) are found while the operator that looks for them is rescaled. */
@Timeout(600)
class PatternITCase extends CleanCluster {

    private static final long NUMBERS = 24_000;
    private static final long PER_SECOND = 1_000;
    private static final int KEYS = CountedNumbers.KEYS;

    /** Numbers of a key that make a match. */
    private static final int STEPS = 3;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers(
            value = "job shapes: patterns of CEP, in event time and in processing time",
            path = {2, 4, 3})
    @Test
    void everyPatternIsFoundOnce(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "patterns";
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        KeyedStream<Long, Integer> numbers = KindsOfOperators.numbers(env, NUMBERS, PER_SECOND);
        Pattern<Long, Long> pattern =
                Pattern.<Long>begin("0")
                        .where(SimpleCondition.of(n -> step(n) == 0))
                        .next("1")
                        .where(SimpleCondition.of(n -> step(n) == 1))
                        .followedBy("2")
                        .where(SimpleCondition.of(n -> step(n) == 2));
        PatternStream<Long> found = CEP.pattern(numbers, pattern);
        RescaledJob.keep(
                name,
                matches(found.inEventTime(), "event time")
                        .union(matches(found.inProcessingTime(), "processing time")));

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int parallelism : new int[] {4, 3}) {
            job.rescale("event time", parallelism);
            job.rescale("processing time", parallelism);
        }
        job.awaitEnd();

        Map<String, Integer> expected = new HashMap<>();
        for (long first = 0; first < NUMBERS; first++) {
            if (step(first) == 0) {
                String match = match(first, first + KEYS, first + 2 * KEYS);
                expected.put("event time" + match, 1);
                expected.put("processing time" + match, 1);
            }
        }
        assertThat(KeptResults.of(name)).isEqualTo(expected);
    }

    /** Place of a number in a match: those of a key are {@value CountedNumbers#KEYS} apart. */
    private static long step(long number) {
        return number / KEYS % STEPS;
    }

    private static String match(long... numbers) {
        return " " + List.of(numbers[0], numbers[1], numbers[2]);
    }

    private static DataStream<String> matches(PatternStream<Long> found, String name) {
        return found.process(new Match(name)).name(name).uid(name);
    }

    private static final class Match extends PatternProcessFunction<Long, String> {
        private final String name;

        Match(String name) {
            this.name = name;
        }

        @Override
        public void processMatch(
                Map<String, List<Long>> steps, Context context, Collector<String> out) {
            out.collect(
                    name
                            + match(
                                    steps.get("0").get(0),
                                    steps.get("1").get(0),
                                    steps.get("2").get(0)));
        }
    }
}
