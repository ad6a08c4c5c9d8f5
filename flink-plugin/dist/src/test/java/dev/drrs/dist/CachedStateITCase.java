package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Functions that keep in a field what is in keyed state as well, when keys leave and come back. */
@Timeout(600)
class CachedStateITCase extends CleanCluster {

    private static final long NUMBERS = 60_000;
    private static final long PER_SECOND = 1_000;
    private static final int KEYS = CountedNumbers.KEYS;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    /** What the warning is about; nothing else tells the user. */
    @Test
    void aFieldThatNobodyEmptiesIsWrongAndIsWarnedOf(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "cached";
        StreamExecutionEnvironment env = environment(Map.of());
        RunningJob job = start(cluster, env, name, new CachedState.Caching());
        JsonNode warnings = job.rescales().vertex("operator").path("warnings");
        outAndBack(job);

        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0).asText())
                .contains(
                        "Field cache of " + CachedState.Caching.class.getName(),
                        "dev.drrs.api.KeyGroupListener",
                        "drrs.functions.reopen");
        assertThat(KeptResults.of(name)).isNotEqualTo(counted());
    }

    @Covers(
            value = "state: a function that keeps state in a field as well and hears of key groups",
            path = {2, 4, 2, 4})
    @Test
    void aFunctionThatHearsOfKeyGroupsIsExact(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "forgetting";
        StreamExecutionEnvironment env = environment(Map.of());
        RunningJob job = start(cluster, env, name, new CachedState.Forgetting());
        assertThat(job.rescales().vertex("operator").path("warnings")).isEmpty();
        outAndBack(job);

        assertThat(KeptResults.of(name)).isEqualTo(counted());
        // The function chained behind holds everything back but what it is told to write.
        Set<String> left = new TreeSet<>(CachedState.Buffering.written(name).keySet());
        assertThat(left).isNotEmpty();
        assertThat(CachedState.Buffering.written(name).values()).containsOnly(1);
        assertThat(counted().keySet()).containsAll(left);
    }

    @Covers(
            value = "state: a function that keeps state in a field as well and is opened anew",
            path = {2, 4, 2, 4})
    @Test
    void aFunctionThatIsOpenedAnewIsExact(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "reopened";
        StreamExecutionEnvironment env =
                environment(Map.of("drrs.functions.reopen", "other; operator"));
        RunningJob job = start(cluster, env, name, new CachedState.Caching());
        assertThat(job.rescales().vertex("operator").path("warnings")).isEmpty();
        outAndBack(job);

        assertThat(KeptResults.of(name)).isEqualTo(counted());
    }

    private static StreamExecutionEnvironment environment(Map<String, String> options) {
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        env.configure(Configuration.fromMap(options));
        return env;
    }

    private static RunningJob start(
            MiniCluster cluster,
            StreamExecutionEnvironment env,
            String name,
            CachedState.Caching function)
            throws Exception {
        DataStream<String> counts =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        n -> n,
                                        NUMBERS,
                                        TimedNumbers.paced(NUMBERS, PER_SECOND),
                                        Types.LONG),
                                WatermarkStrategy.noWatermarks(),
                                "numbers")
                        .setParallelism(1)
                        .keyBy(KindsOfOperators::key)
                        .process(function)
                        .name("operator")
                        .uid("operator")
                        .map(new CachedState.Buffering(name));
        RescaledJob.keep(name, counts);
        return RunningJob.start(cluster, env, name);
    }

    private static void outAndBack(RunningJob job) throws Exception {
        for (int parallelism : new int[] {4, 2, 4}) {
            job.rescale("operator", parallelism);
        }
        job.awaitEnd();
    }

    private static Map<String, Integer> counted() {
        Map<String, Integer> expected = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            for (long count = 1; count <= NUMBERS / KEYS; count++) {
                expected.put(KindsOfOperators.result("count", key, count), 1);
            }
        }
        return expected;
    }
}
