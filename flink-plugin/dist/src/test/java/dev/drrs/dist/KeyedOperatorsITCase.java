package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The operators of the DataStream API that the catalogue knows are exact under rescales. */
@Timeout(600)
class KeyedOperatorsITCase extends CleanCluster {

    private static final long NUMBERS = 24_000;
    private static final long PER_SECOND = 1_000;
    private static final int KEYS = CountedNumbers.KEYS;
    private static final long EACH = NUMBERS / KEYS;

    /** Of the windows; numbers of a key are {@value CountedNumbers#KEYS} ms apart. */
    private static final int WINDOW = 4 * KEYS;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers(
            value =
                    "job shapes: map, flatMap, filter, reduce, evictor, connect, project, addSink on keyed"
                            + " streams and behind them",
            path = {2, 4, 3})
    @Test
    void everyKindOfKeyedOperator(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "kinds";
        StreamExecutionEnvironment env = RescaledJob.environment(2, true);
        KeyedStream<Long, Integer> keyed = KindsOfOperators.numbers(env, NUMBERS, PER_SECOND);
        List<DataStream<String>> results = new ArrayList<>();
        results.add(keyed.map(new KindsOfOperators.Map()).name("map"));
        results.add(keyed.flatMap(new KindsOfOperators.FlatMap()).name("flatMap"));
        results.add(
                keyed.filter(new KindsOfOperators.Filter())
                        .name("filter")
                        .map(n -> "filter " + n)
                        .returns(Types.STRING));
        results.add(
                keyed.reduce(Long::sum).name("reduce").map(n -> "sum " + n).returns(Types.STRING));
        results.add(
                keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(WINDOW)))
                        .evictor(CountEvictor.of(2))
                        .process(new KindsOfOperators.Window())
                        .name("window"));
        results.add(
                keyed.connect(keyed).process(new KindsOfOperators.OldCoProcess()).name("process"));
        results.add(keyed.connect(keyed).map(new KindsOfOperators.CoMap()).name("coMap"));
        results.add(
                keyed.connect(keyed).flatMap(new KindsOfOperators.CoFlatMap()).name("coFlatMap"));
        DataStream<Tuple2<Integer, Long>> twice =
                keyed.process(new KindsOfOperators.Process()).name("twice");
        results.add(twice.connect(twice).process(new KindsOfOperators.BothProcess()));
        results.add(twice.connect(twice).map(new KindsOfOperators.BothMap()));
        results.add(twice.connect(twice).flatMap(new KindsOfOperators.BothFlatMap()));
        keyed.process(new KindsOfOperators.Process())
                .name("project")
                .<Tuple1<Long>>project(1)
                .map(count -> "projected " + count.f0)
                .returns(Types.STRING)
                .addSink(new KindsOfOperators.OldSink(name));
        RescaledJob.keep(name, results.stream().reduce((a, b) -> a.union(b)).orElseThrow());
        String[] vertices = {
            "map",
            "flatMap",
            "filter",
            "reduce",
            "window",
            "process",
            "coMap",
            "coFlatMap",
            "project",
            "twice"
        };

        RunningJob job = RunningJob.start(cluster, env, name);
        for (int parallelism : new int[] {4, 3}) {
            rescaleAll(job, parallelism, vertices);
        }
        job.awaitEnd();

        Map<String, Integer> expected = counted("map", "co1", "co2", "fired", "coMap1", "coMap2");
        expected.putAll(counted("coFlatMap1", "coFlatMap2", "both1", "both2"));
        expected.putAll(counted("bothMap1", "bothMap2", "bothFlatMap1", "bothFlatMap2"));
        expected.putAll(restOfEveryKind());
        assertThat(KeptResults.of(name)).isEqualTo(expected);
    }

    @Covers(
            value = "job shapes: an asynchronous call chained behind the keyed operator",
            path = {2, 4, 3})
    @Test
    void anAsynchronousCallBehindTheOperator(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "asynchronous";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        DataStream<Tuple2<Integer, Long>> counted =
                KindsOfOperators.numbers(env, NUMBERS, PER_SECOND)
                        .process(new KindsOfOperators.Process())
                        .name("operator");
        RescaledJob.keep(
                name,
                AsyncDataStream.orderedWait(
                                counted, new KindsOfOperators.Call(), 1, TimeUnit.MINUTES)
                        .name("call"));

        RunningJob job = RunningJob.start(cluster, env, name);
        job.rescale("operator", 4);
        job.rescale("operator", 3);
        job.awaitEnd();

        assertThat(KeptResults.of(name)).isEqualTo(counted("call"));
    }

    private static void rescaleAll(RunningJob job, int parallelism, String... vertices)
            throws Exception {
        ObjectNode[] requests = new ObjectNode[vertices.length];
        for (int i = 0; i < vertices.length; i++) {
            requests[i] = job.rescales().request(vertices[i], parallelism, 16);
        }
        JsonNode status =
                job.rescales().await(job.rescales().begin(RescaleClient.together(requests)));
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        job.awaitCheckpoint();
    }

    private static Map<String, Integer> counted(String... kinds) {
        Map<String, Integer> expected = new HashMap<>();
        for (String kind : kinds) {
            for (int key = 0; key < KEYS; key++) {
                for (long count = 1; count <= EACH; count++) {
                    expected.put(KindsOfOperators.result(kind, key, count), 1);
                }
            }
        }
        return expected;
    }

    private static Map<String, Integer> restOfEveryKind() {
        Map<String, Integer> expected = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            long sum = 0;
            for (long count = 1; count <= EACH; count++) {
                long number = (count - 1) * KEYS + key;
                sum += number;
                expected.merge("sum " + sum, 1, Integer::sum);
                expected.merge("projected " + count, 1, Integer::sum);
                if (count % 2 == 0) {
                    expected.put(KindsOfOperators.result("flatMap", key, count), 1);
                }
                if (count % 3 == 0) {
                    expected.put("filter " + number, 1);
                }
            }
        }
        for (long begin = 0; begin < NUMBERS; begin += WINDOW) {
            for (int key = 0; key < KEYS; key++) {
                long last = begin + WINDOW - KEYS + key;
                expected.put("window " + key + " " + List.of(last - KEYS, last), 1);
            }
        }
        return expected;
    }
}
