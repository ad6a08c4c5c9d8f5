package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
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
import org.junit.jupiter.api.io.TempDir;

/** State that goes through shared storage, which is slow, and then loses a file. */
@Timeout(600)
class RemoteITCase extends CleanCluster {

    private static final int KEYS = 40;
    private static final int MAX_PARALLELISM = 128;
    private static final long NUMBERS = 40_000;
    private static final long PER_SECOND = 2_000;
    private static final long POLL_MILLIS = 20; // a REST API has nothing to wait for

    /** Where each key was processed last, by the job's name: all tasks are in this JVM. */
    private static final Map<String, Map<Integer, Integer>> PLACES = new ConcurrentHashMap<>();

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @TempDir private Path directory;

    @Covers("requests: state through shared storage, slow for some keys, and a file that is lost")
    @Test
    void whatWaitsForTheStorageWaitsAloneAndNothingIsLeftInIt(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "remote";
        StreamExecutionEnvironment env = environment(name);
        RescaledJob.restartOnce(env);
        env.configure(
                Configuration.fromMap(
                        Map.of(
                                "drrs.remote.directory",
                                HeldFiles.SCHEME + "://" + directory,
                                // One that is due would keep what has not started where it is.
                                "drrs.checkpoint.hold",
                                "10 min")));
        RunningJob job = RunningJob.start(cluster, env, name);
        while (PLACES.get(name).size() < KEYS) {
            Thread.sleep(POLL_MILLIS);
        }

        outWithAKeyThatWaits(job.rescales(), name);
        awaitEmpty(true);
        inAndWithdrawn(job.rescales());
        awaitEmpty(true);

        HeldFiles.failOnce();
        String in = job.rescales().begin(remote(job.rescales(), 2));
        JsonNode failed = job.rescales().await(in);
        assertThat(failed.path("phase").asText()).as(failed.toString()).isEqualTo("FAILED");
        assertThat(failed.path("reason").asText()).contains("lost");
        JsonNode next = job.awaitRecovery().get(0);
        assertThat(next.path("phase").asText()).as(next.toString()).isEqualTo("COMPLETED");
        assertThat(next.path("strategy").asText()).isEqualTo("remote");

        job.awaitEnd();
        job.rescales().awaitGone();
        awaitEmpty(false);
        Set<String> expected = new HashSet<>();
        for (int key = 0; key < KEYS; key++) {
            for (long count = 1; count <= NUMBERS / KEYS; count++) {
                expected.add(key + "=" + count);
            }
        }
        // The sink is not transactional: what it got since a checkpoint comes again, unchanged.
        assertThat(KeptResults.of(name).keySet()).isEqualTo(expected);
    }

    @Refuses("requests: remote where neither checkpoints nor an option say which storage")
    @Test
    void withoutStorageNothingIsTouched(@InjectMiniCluster MiniCluster cluster) throws Exception {
        StreamExecutionEnvironment env = environment("remote-nowhere");
        env.configure(
                Configuration.fromMap(Map.of("execution.checkpointing.storage", "jobmanager")));
        JobClient client = env.executeAsync("remote-nowhere");
        RescaleClient rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
        JsonNode answer = rescales.post(remote(rescales, 4));
        client.cancel().get();

        JsonNode error = answer.path("errors").path(0);
        assertThat(error.path("code").asText()).as(answer.toString()).isEqualTo("NOT_SUPPORTED");
        assertThat(error.path("message").asText()).contains("drrs.remote.directory");
    }

    /** Keys of one key group have to wait; all others that move go on at their new owners. */
    private static void outWithAKeyThatWaits(RescaleClient rescales, String name) throws Exception {
        ObjectNode request = remote(rescales, 4);
        int[] before = rescales.placement("operator");
        Map<Integer, Integer> moving = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            int group = KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
            int to = request.path("placement").get(group).asInt();
            if (to != before[group]) {
                moving.put(key, to);
            }
        }
        int waits = moving.keySet().iterator().next();
        int held = KeyGroupRangeAssignment.assignToKeyGroup(waits, MAX_PARALLELISM);
        HeldFiles.hold(Set.of("-key-group-" + held + "-"));
        String id = rescales.begin(request);
        for (Map.Entry<Integer, Integer> one : moving.entrySet()) {
            int group = KeyGroupRangeAssignment.assignToKeyGroup(one.getKey(), MAX_PARALLELISM);
            while (group != held && !one.getValue().equals(PLACES.get(name).get(one.getKey()))) {
                Thread.sleep(POLL_MILLIS);
            }
        }
        assertThat(PLACES.get(name).get(waits)).isEqualTo(before[held]);
        assertThat(rescales.status(id).path("phase").asText()).isEqualTo("MIGRATING");

        HeldFiles.release();
        JsonNode end = rescales.await(id);
        assertThat(end.path("phase").asText()).as(end.toString()).isEqualTo("COMPLETED");
        JsonNode exchange = end.path("exchange");
        assertThat(exchange.path("state_bytes").asLong(-1)).as(end.toString()).isZero();
        assertThat(exchange.path("stored_bytes").asLong())
                .isPositive()
                .isEqualTo(end.path("bytes").path("moved").asLong());
    }

    private static void inAndWithdrawn(RescaleClient rescales) throws Exception {
        int[] before = rescales.placement("operator");
        HeldFiles.hold(Set.of("-key-group-"));
        String id = rescales.begin(remote(rescales, 2));
        HeldFiles.awaitOpened();
        rescales.abort(id);
        HeldFiles.release();
        JsonNode end = rescales.await(id);
        assertThat(end.path("phase").asText()).as(end.toString()).isEqualTo("ABORTED");
        assertThat(rescales.placement("operator")).isEqualTo(before);
    }

    private static ObjectNode remote(RescaleClient rescales, int parallelism) throws Exception {
        ObjectNode request = rescales.request("operator", parallelism, Integer.MAX_VALUE);
        return request.put("strategy", "remote");
    }

    private static StreamExecutionEnvironment environment(String name) {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.setMaxParallelism(MAX_PARALLELISM);
        PLACES.put(name, new ConcurrentHashMap<>());
        RescaledJob.keep(
                name,
                TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND)
                        .keyBy(number -> (int) (number.f0 % KEYS))
                        .process(new Count(name))
                        .name("operator")
                        .uid("operator"));
        return env;
    }

    /**
     * Until those who have read files, and the JobManager, have removed all of them.
     *
     * @param folders whether there may be empty ones
     */
    private void awaitEmpty(boolean folders) throws Exception {
        List<Path> left;
        do {
            Thread.sleep(POLL_MILLIS);
            try (Stream<Path> all = Files.walk(directory)) {
                left =
                        all.filter(path -> !path.equals(directory))
                                .filter(path -> !folders || Files.isRegularFile(path))
                                .toList();
            } catch (UncheckedIOException e) { // one has gone meanwhile
                left = List.of(directory);
            }
        } while (!left.isEmpty());
    }

    /** Counts each key. */
    private static final class Count
            extends KeyedProcessFunction<Integer, Tuple2<Long, Long>, String> {
        private final String name;
        private transient ValueState<Long> count;

        Count(String name) {
            this.name = name;
        }

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> number, Context context, Collector<String> out)
                throws Exception {
            count.update(count.value() == null ? 1 : count.value() + 1);
            int here = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            PLACES.get(name).put(context.getCurrentKey(), here);
            out.collect(context.getCurrentKey() + "=" + count.value());
        }
    }
}
