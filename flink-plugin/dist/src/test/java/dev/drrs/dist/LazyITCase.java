package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.state.KeyBin;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** State that moves when a record needs it: a few hot keys among many that no record comes for. */
@Timeout(600)
class LazyITCase extends CleanCluster {

    private static final int HOT = 20;
    private static final int COLD = 500;
    private static final int PAYLOAD = 1_000;
    private static final long OF_HOT = 150_000;
    private static final long PER_SECOND = 5_000;
    private static final int MAX_PARALLELISM = 128;
    private static final long POLL_MILLIS = 20; // a REST API has nothing to wait for

    /** Where each key was processed last, by the job's name: all tasks are in this JVM. */
    private static final Map<String, Map<Integer, Integer>> PLACES = new ConcurrentHashMap<>();

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers("requests: lazy migration moves what records need, whatever there is besides")
    @Test
    void tenTimesTheStateMovesNoMoreUntilACheckpointIsAskedFor(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        long some = neededBytes(cluster, "lazy-some", COLD);
        long tenTimes = neededBytes(cluster, "lazy-ten-times", 10 * COLD);

        assertThat(some).isPositive();
        assertThat(tenTimes).isLessThan(some * 13 / 10);
    }

    @Covers("state: a large key group in bins, the rest of which no record waits for")
    @Test
    void aKeyOfALargeKeyGroupDoesNotWaitForTheOthers(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "large-key-group";
        RunningJob job = start(cluster, name, COLD);
        RescaleClient rescales = job.rescales();
        ObjectNode request = rescales.request("operator", 4, Integer.MAX_VALUE);
        Halves moving = halvesThatMove(rescales.placement("operator"), request.path("placement"));
        request.putObject("options")
                .put("drrs.strategy.bins.from", "1")
                .put("drrs.strategy.bins.size", "" + moving.bytes());

        Hold cold = HeldState.hold(moving.cold());
        String id = rescales.begin(request);
        cold.awaitReached();
        awaitPlace(name, moving.hot(), moving.newOwner());
        JsonNode meanwhile = rescales.status(id);
        cold.goOn();
        JsonNode end = rescales.await(id);
        job.awaitEnd();

        assertThat(meanwhile.path("phase").asText()).isEqualTo("MIGRATING");
        assertThat(end.path("phase").asText()).as(end.toString()).isEqualTo("COMPLETED");
        assertThat(end.path("records").path("bins").asInt()).as(end.toString()).isPositive();
        assertThat(KeptResults.difference(name, expected(COLD))).isEmpty();
    }

    /**
     * A key group in two bins: records come for the first of them only.
     *
     * @param cold a key of the other bin
     * @param bytes less than the key group takes, and more than half of that
     */
    private record Halves(int hot, int cold, int newOwner, int bytes) {}

    private static Halves halvesThatMove(int[] from, JsonNode to) {
        for (int hot = 0; hot < HOT; hot++) {
            int group = group(hot);
            List<Integer> keys =
                    IntStream.range(0, HOT + COLD).filter(k -> group(k) == group).boxed().toList();
            List<Integer> second = keys.stream().filter(k -> KeyBin.numberOf(k, 2) == 1).toList();
            int newOwner = to.get(group).asInt();
            boolean divides = !second.isEmpty() && second.stream().allMatch(k -> k >= HOT);
            if (newOwner != from[group] && divides) {
                return new Halves(hot, second.get(0), newOwner, keys.size() * PAYLOAD * 3 / 4);
            }
        }
        throw new IllegalStateException("no such key group moves: " + to);
    }

    private static int group(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
    }

    @Refuses("requests: lazy without background migration in a job that takes no checkpoints")
    @Test
    void withoutCheckpointsNothingWouldEndIt(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "lazy-for-ever";
        StreamExecutionEnvironment env = environment();
        env.getCheckpointConfig().disableCheckpointing();
        define(env, name, 1);
        JobClient client = env.executeAsync(name);
        awaitKeys(name, 1);
        RescaleClient rescales = new RescaleClient(cluster, client);
        JsonNode answer = rescales.post(onAccess(rescales));
        TimedNumbers.awaitEnd(client);

        JsonNode error = answer.path("errors").path(0);
        assertThat(error.path("code").asText()).as(answer.toString()).isEqualTo("NOT_SUPPORTED");
        assertThat(error.path("message").asText()).contains("takes none by itself");
    }

    private static ObjectNode onAccess(RescaleClient rescales) throws Exception {
        ObjectNode request = rescales.request("operator", 4, Integer.MAX_VALUE);
        request.put("strategy", "lazy");
        request.putObject("options")
                .put("drrs.lazy.background", "false")
                .put("drrs.lazy.bins", "256")
                .put("drrs.lazy.batch", "64"); // of the rest
        return request;
    }

    /**
     * @return bytes that have moved when all hot keys have, before the others do
     */
    private static long neededBytes(MiniCluster cluster, String name, int cold) throws Exception {
        RunningJob job = start(cluster, name, cold);
        RescaleClient rescales = job.rescales();
        ObjectNode request = onAccess(rescales);
        String id = rescales.begin(request);
        long needed = awaitMoved(rescales, id, name, request.path("placement"));
        long completed = rescales.completedCheckpoints();

        Future<Long> checkpoint = cluster.triggerCheckpoint(job.id(), CheckpointType.CONFIGURED);
        assertThat(checkpoint.get()).isGreaterThan(completed);
        JsonNode end = rescales.await(id);
        assertThat(end.path("phase").asText()).as(end.toString()).isEqualTo("COMPLETED");
        assertThat(bytes(end) - needed).as("the rest").isGreaterThan(cold / 3L * PAYLOAD);
        job.awaitEnd();
        assertThat(KeptResults.difference(name, expected(cold))).isEmpty();
        return needed;
    }

    private static RunningJob start(MiniCluster cluster, String name, int cold) throws Exception {
        StreamExecutionEnvironment env = environment();
        define(env, name, cold);
        RunningJob job = RunningJob.start(cluster, env, name);
        awaitKeys(name, cold);
        return job;
    }

    private static StreamExecutionEnvironment environment() {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.setMaxParallelism(MAX_PARALLELISM);
        env.configure(Configuration.fromMap(Map.of("drrs.checkpoint.hold", "10 min")));
        return env;
    }

    private static void define(StreamExecutionEnvironment env, String name, int cold) {
        PLACES.put(name, new ConcurrentHashMap<>());
        long numbers = cold + OF_HOT;
        RescaledJob.keep(
                name,
                env.fromSource(
                                new DataGeneratorSource<>(
                                        n -> n,
                                        numbers,
                                        TimedNumbers.paced(numbers, PER_SECOND),
                                        Types.LONG),
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((n, t) -> n),
                                "numbers")
                        .setParallelism(1)
                        .keyBy(n -> n < cold ? HOT + n.intValue() : (int) ((n - cold) % HOT))
                        .process(new Count(name))
                        .name("operator")
                        .uid("operator"));
    }

    /** Until each has been seen. */
    private static void awaitKeys(String name, int cold) throws Exception {
        while (PLACES.get(name).size() < HOT + cold) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Until all hot keys are where they belong, and what has come with them has been told. */
    private static long awaitMoved(RescaleClient rescales, String id, String name, JsonNode wanted)
            throws Exception {
        for (int key = 0; key < HOT; key++) {
            awaitPlace(name, key, wanted.get(group(key)).asInt());
        }
        long before;
        JsonNode status = rescales.status(id);
        do {
            before = bytes(status);
            Thread.sleep(1_500); // what has arrived is told once a second
            status = rescales.status(id);
        } while (before == 0 || bytes(status) != before);
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("MIGRATING");
        return before;
    }

    /** Until the key is processed there. */
    private static void awaitPlace(String name, int key, int subtask) throws Exception {
        while (PLACES.get(name).get(key) != subtask) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static long bytes(JsonNode status) {
        return status.path("bytes").path("moved").asLong();
    }

    private static Map<String, Integer> expected(int cold) {
        Map<String, Integer> expected = new HashMap<>();
        for (int key = 0; key < HOT + cold; key++) {
            expected.put(key + "=" + (key < HOT ? OF_HOT / HOT : 1), 1);
        }
        return expected;
    }

    /** Tells at the end of time how often it has seen each key. */
    private static final class Count extends KeyedProcessFunction<Integer, Long, String> {
        private final String name;
        private transient ValueState<Long> count;
        private transient ValueState<byte[]> payload;
        private transient ValueState<HeldState> moved;

        Count(String name) {
            this.name = name;
        }

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
            payload =
                    getRuntimeContext()
                            .getState(
                                    new ValueStateDescriptor<>(
                                            "payload",
                                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
            moved =
                    getRuntimeContext()
                            .getState(
                                    new ValueStateDescriptor<>(
                                            "moved", Types.VALUE(HeldState.class)));
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out)
                throws Exception {
            if (count.value() == null) {
                payload.update(new byte[PAYLOAD]);
                moved.update(new HeldState(context.getCurrentKey()));
                context.timerService().registerEventTimeTimer(Long.MAX_VALUE);
            }
            count.update(count.value() == null ? 1 : count.value() + 1);
            int here = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            PLACES.get(name).put(context.getCurrentKey(), here);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(context.getCurrentKey() + "=" + count.value());
        }
    }
}
