package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.buffer.DrrsBufferAccess;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.taskexecutor.TaskExecutor;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Network buffers: dormant subtasks take none, a rescale has those it needs before it touches
 * anything, or is refused, and gives back what it has got.
 */
@Timeout(600)
class NetworkBuffersITCase extends CleanCluster {

    private static final long NUMBERS = 90_000;
    private static final long PER_SECOND = 1_000;
    private static final int STEP = 4;
    private static final long POLL_MILLIS = 20;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 4);

    private List<NetworkBufferPool> pools;
    private final List<Integer> taken = new ArrayList<>();

    @AfterEach
    void giveBack() {
        for (int i = 0; i < taken.size(); i++) {
            DrrsBufferAccess.release(pools.get(i), taken.get(i));
        }
        taken.clear();
    }

    @Covers("cluster: network buffers of a job with a high ceiling")
    @Test
    void anElasticJobNeedsAsManyBuffersAsTheSameJobOnStockFlink(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        pools = pools(cluster);
        assertThat(needed("buffers-elastic", true)).isEqualTo(needed("buffers-stock", false));
    }

    private int needed(String name, boolean elastic) throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(4, false);
        env.configure(
                Configuration.fromMap(
                        Map.of(
                                "drrs.enabled",
                                String.valueOf(elastic),
                                "drrs.ceiling",
                                "100",
                                "cluster.evenly-spread-out-slots",
                                "true")));
        JobClient client = start(env, name);
        while (KeptResults.of(name).isEmpty()) {
            Thread.sleep(POLL_MILLIS);
        }
        int needed = sum(promised());
        client.cancel().get();
        awaitAllFree();
        return needed;
    }

    /**
     * With each number of buffers that other jobs may leave, down from one that is enough: the
     * rescale completes or is given up, and the job runs on.
     */
    @Covers("cluster: a rescale on TaskManagers that are short of network buffers")
    @Refuses("cluster: a rescale for which there are too few network buffers")
    @Test
    void aRescaleHasItsBuffersOrIsGivenUpBeforeAnythingIsTouched(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        pools = pools(cluster);
        String name = "buffers-short";
        JobClient client = start(RescaledJob.environment(2, false), name);
        RescaleClient rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
        List<Integer> before = promised();

        int left = 64;
        assertThat(completes(rescales, left, before)).isTrue();
        while (completes(rescales, left - STEP, before)) {
            left -= STEP;
        }
        // Around the number that is just enough.
        for (int between = left - 1; between > left - STEP; between--) {
            completes(rescales, between, before);
        }
        assertThat(completes(rescales, 1, before)).isFalse();

        TimedNumbers.awaitEnd(client);
        assertThat(KeptResults.of(name).values()).allMatch(count -> count == 1);
        assertThat(KeptResults.of(name)).hasSize((int) NUMBERS / TimedNumbers.SUBTASKS);
        awaitAllFree();
    }

    /** Whether a rescale completes; if not, it says why and has left nothing behind. */
    private boolean completes(RescaleClient rescales, int left, List<Integer> before)
            throws Exception {
        leaveFree(left);
        JsonNode out = rescales.rescale("operator", 4);
        boolean completed = out.path("phase").asText().equals("COMPLETED");
        if (completed) {
            rescales.complete("operator", 2);
        } else {
            assertThat(out.path("phase").asText()).as(out.toString()).isEqualTo("ABORTED");
            assertThat(out.path("reason").asText())
                    .contains("network buffers free and needs")
                    .contains("taskmanager.memory.network.fraction");
        }
        giveBack();
        awaitPromised(before);
        return completed;
    }

    @Covers("cluster: network buffers after a failover in a rescale")
    @Test
    void aFailoverInARescaleGivesBackWhatItHadReserved(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        pools = pools(cluster);
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.restartOnce(env);
        JobClient client = start(env, "buffers-failover");
        RescaleClient rescales = new RescaleClient(cluster, client);
        rescales.awaitCheckpoints(1);
        List<Integer> before = promised();

        ObjectNode slow = rescales.request("operator", 4, 1);
        slow.putObject("options").put("drrs.strategy.subscale-concurrency", "1");
        String id = rescales.begin(slow);
        rescales.awaitPhase(id, "MIGRATING");
        SeveralInputs.failNow();
        rescales.await(id);
        JsonNode next = rescales.await(id + "-after-failover-1");
        assertThat(next.path("phase").asText()).as(next.toString()).isEqualTo("COMPLETED");
        rescales.complete("operator", 2);
        awaitPromised(before);

        client.cancel().get();
        awaitAllFree();
    }

    private static JobClient start(StreamExecutionEnvironment env, String name) throws Exception {
        // It takes some for a moment.
        env.configure(Configuration.fromMap(Map.of("drrs.rehearsal", "false")));
        DataStream<String> results =
                ForwardEdges.pass(
                        SeveralInputs.connected(
                                TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND),
                                TimedNumbers.untilReleased(env, "b", NUMBERS, PER_SECOND)),
                        "pass");
        results.rebalance()
                .sinkTo(new KeptResults(name))
                .name("sink")
                .setParallelism(TimedNumbers.SUBTASKS);
        return env.executeAsync(name);
    }

    /** Takes the rest, as another job would. */
    private void leaveFree(int buffers) {
        for (NetworkBufferPool pool : pools) {
            int rest = DrrsBufferAccess.free(pool) - buffers;
            assertThat(DrrsBufferAccess.reserve(pool, rest)).isTrue();
            taken.add(rest);
        }
    }

    /** Exchanges end a little after the rescale that had them. */
    private void awaitPromised(List<Integer> wanted) throws InterruptedException {
        while (!promised().equals(wanted)) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void awaitAllFree() throws InterruptedException {
        while (sum(promised()) > 0) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private List<Integer> promised() {
        return pools.stream()
                .map(pool -> pool.getTotalNumberOfMemorySegments() - DrrsBufferAccess.free(pool))
                .toList();
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }

    private static List<NetworkBufferPool> pools(MiniCluster cluster)
            throws ReflectiveOperationException {
        List<NetworkBufferPool> pools = new ArrayList<>();
        for (Object taskManager : (List<?>) field(cluster, MiniCluster.class, "taskManagers")) {
            Object shuffle = field(taskManager, TaskExecutor.class, "shuffleEnvironment");
            pools.add(((NettyShuffleEnvironment) shuffle).getNetworkBufferPool());
        }
        return pools;
    }

    private static Object field(Object object, Class<?> type, String name)
            throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }
}
