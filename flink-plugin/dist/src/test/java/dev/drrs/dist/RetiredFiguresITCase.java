package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.flink.HookHolder;
import dev.drrs.runtime.job.RetiredFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What retired subtasks have counted stays counted: in accumulators, and in what REST shows of a
 * vertex.
 */
@Timeout(600)
class RetiredFiguresITCase extends CleanCluster {

    private static final long NUMBERS = 24_000;
    private static final long PER_SECOND = 2_000;

    /** The sources pause after a third of their numbers. */
    private static final long BEFORE_THE_PAUSE = NUMBERS / 3 - TimedNumbers.SUBTASKS;

    private static final int[] THERE_AND_BACK = {4, 2, 3, 1, 2};
    private static final int[] BACK_AND_FORTH = {2, 3, 1, 2};

    /** Metrics are much newer than the copy of the graph that REST shows them with. */
    private static final Duration METRICS = Duration.ofMillis(20);

    private static final Duration GRAPH = Duration.ofMillis(500);

    private static final int LOOKS = 30;

    private static final AtomicBoolean FAIL = new AtomicBoolean();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(refreshing())
                            .setNumberTaskManagers(2)
                            .setNumberSlotsPerTaskManager(3)
                            .build());

    private static Configuration refreshing() {
        Configuration configuration = new Configuration();
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, METRICS);
        configuration.set(WebOptions.REFRESH_INTERVAL, GRAPH);
        return configuration;
    }

    @Covers("reports: accumulators of retired subtasks")
    @Test
    void accumulatorsAreThoseOfAllRecordsAfterEverySubtaskHasRetired(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        JobClient client = start(RescaledJob.environment(2, false), "accumulators");
        RescaleClient rescales = new RescaleClient(cluster, client);
        for (int target : THERE_AND_BACK) {
            rescales.awaitCheckpoints(1);
            rescales.complete("operator", target);
        }

        var result = TimedNumbers.awaitEnd(client);
        assertThat(result.<Long>getAccumulatorResult("seen")).isEqualTo(NUMBERS);
        assertThat(result.<Long>getAccumulatorResult("passed")).isEqualTo(NUMBERS);

        FlinkRest rest = new FlinkRest(cluster, client);
        rest.awaitState("FINISHED");
        String all = String.valueOf(NUMBERS);
        JsonNode ofJob = rest.get("accumulators").path("user-task-accumulators");
        assertThat(FlinkRest.valueOf(ofJob, "seen")).isEqualTo(all);
        JsonNode ofVertex = rest.ofVertex("operator", "/accumulators").path("user-accumulators");
        assertThat(FlinkRest.valueOf(ofVertex, "seen")).isEqualTo(all);
        JsonNode ofFollower = rest.ofVertex("pass", "/accumulators").path("user-accumulators");
        assertThat(FlinkRest.valueOf(ofFollower, "passed")).isEqualTo(all);
    }

    /** As of stock Flink: whoever restarts begins anew, and nobody counts twice. */
    @Covers("reports: accumulators after a failover behind a scale-in")
    @Test
    void aFailoverStartsAccumulatorsAnewAlsoThoseOfRetiredSubtasks(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(3, false);
        RescaledJob.restartOnce(env);
        JobClient client = start(env, "accumulators-failover");
        RescaleClient rescales = new RescaleClient(cluster, client);
        FlinkRest rest = new FlinkRest(cluster, client);
        rescales.awaitCheckpoints(1);
        awaitRest(() -> List.of(records(rest, "operator")));
        rescales.complete("operator", 1);
        rescales.awaitCheckpoints(1);
        awaitRest(() -> List.of(records(rest, "operator")));

        FAIL.set(true);
        while (cluster.getExecutionGraph(client.getJobID())
                        .get()
                        .getCheckpointStatsSnapshot()
                        .getCounts()
                        .getNumberOfRestoredCheckpoints()
                == 0) {
            Thread.sleep(METRICS.toMillis());
        }
        rescales.awaitCheckpoints(1);

        var result = TimedNumbers.awaitEnd(client);
        assertThat(result.<Long>getAccumulatorResult("seen")).isEqualTo(NUMBERS - BEFORE_THE_PAUSE);
        assertThat(result.<Long>getAccumulatorResult("passed"))
                .isEqualTo(NUMBERS - BEFORE_THE_PAUSE);
        rest.awaitState("FINISHED");
        assertThat(records(rest, "operator")).isEqualTo(NUMBERS - BEFORE_THE_PAUSE);
    }

    /**
     * Nothing comes meanwhile: metrics of one moment may come behind those of a later one, on stock
     * Flink, too.
     */
    @Covers("reports: counters of a vertex after a scale-in")
    @Test
    void countersOfTheVertexStayWhatTheyAreInRescalesAndAreExactInTheEnd(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        JobClient client = start(RescaledJob.environment(4, false), "counters");
        RescaleClient rescales = new RescaleClient(cluster, client);
        FlinkRest rest = new FlinkRest(cluster, client);
        rescales.awaitCheckpoints(1);
        awaitRest(() -> figures(rest));
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<List<Long>> others =
                CompletableFuture.supplyAsync(() -> watch(rest, over));
        for (int target : BACK_AND_FORTH) {
            rescales.complete("operator", target);
            rescales.awaitCheckpoints(1);
        }
        over.complete(null);

        assertThat(others.get()).isEmpty();
        TimedNumbers.awaitEnd(client);
        rest.awaitState("FINISHED");
        for (String vertex : List.of("operator", "pass")) {
            JsonNode metrics = rest.vertex(vertex).path("metrics");
            assertThat(metrics.path("read-records").asLong()).isEqualTo(NUMBERS);
            assertThat(metrics.path("read-records-complete").asBoolean()).isTrue();
            assertThat(metrics.path("write-records").asLong()).isEqualTo(NUMBERS);
            assertThat(
                            rest.ofVertex(vertex, "")
                                    .at("/aggregated/metrics/read-records/sum")
                                    .asLong())
                    .isEqualTo(NUMBERS);
        }
        assertKeptOnDisk(cluster.getExecutionGraph(client.getJobID()).get());
    }

    /** Flink keeps jobs that have ended in serialized form. */
    private static void assertKeptOnDisk(AccessExecutionGraph ended) throws Exception {
        AccessExecutionGraph read = InstantiationUtil.clone((ArchivedExecutionGraph) ended);
        for (AccessExecutionJobVertex vertex : ended.getVerticesTopologically()) {
            RetiredFigures.Counted counted =
                    (RetiredFigures.Counted) ((HookHolder) vertex).drrsHook();
            HookHolder copy = (HookHolder) read.getJobVertex(vertex.getJobVertexId());
            assertThat(copy.drrsHook()).usingRecursiveComparison().isEqualTo(counted);
            assertThat(counted == null).isEqualTo(vertex.getName().startsWith("Source"));
        }
    }

    /**
     * Waits until all figures are those of the pause and stay so: on a busy machine many answers of
     * tasks are on their way at once, and an older one may come last.
     */
    private static void awaitRest(Callable<List<Long>> figures) throws Exception {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (!Set.copyOf(figures.call()).equals(Set.of(BEFORE_THE_PAUSE))) {
                looks = -1;
            }
            Thread.sleep(METRICS.toMillis());
        }
    }

    /** Each figure that was not that of before the pause, until it is over. */
    private static List<Long> watch(FlinkRest rest, CompletableFuture<Void> over) {
        List<Long> others = new ArrayList<>();
        try {
            while (!over.isDone()) {
                others.addAll(figures(rest));
                others.removeIf(figure -> figure == BEFORE_THE_PAUSE);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return others;
    }

    /** What both vertices have read and written, on the page of the job and on their own ones. */
    private static List<Long> figures(FlinkRest rest) throws Exception {
        List<Long> figures = new ArrayList<>();
        for (String vertex : List.of("operator", "pass")) {
            JsonNode job = rest.vertex(vertex).path("metrics");
            JsonNode own = rest.ofVertex(vertex, "").at("/aggregated/metrics");
            figures.add(job.path("read-records").asLong());
            figures.add(job.path("write-records").asLong());
            figures.add(own.at("/read-records/sum").asLong());
            figures.add(own.at("/write-records/sum").asLong());
        }
        return figures;
    }

    private static long records(FlinkRest rest, String vertex) throws Exception {
        return rest.vertex(vertex).path("metrics").path("read-records").asLong();
    }

    private static JobClient start(StreamExecutionEnvironment env, String name) throws Exception {
        TimedNumbers.untilReleased(env, "numbers", NUMBERS, PER_SECOND)
                .keyBy(number -> number.f0 % 500, Types.LONG)
                .process(new Seen())
                .name("operator")
                .uid("operator")
                .map(new Passed())
                .name("pass")
                .startNewChain()
                .sinkTo(new KeptResults(name))
                .name("sink")
                .disableChaining();
        return env.executeAsync(name);
    }

    private static final class Seen extends KeyedProcessFunction<Long, Tuple2<Long, Long>, String> {
        private final LongCounter seen = new LongCounter();

        @Override
        public void open(OpenContext context) {
            getRuntimeContext().addAccumulator("seen", seen);
        }

        @Override
        public void processElement(
                Tuple2<Long, Long> number, Context context, Collector<String> out) {
            seen.add(1L);
            out.collect(String.valueOf(number.f0));
        }
    }

    private static final class Passed extends RichMapFunction<String, String>
            implements CheckpointListener {
        private final LongCounter passed = new LongCounter();

        @Override
        public void open(OpenContext context) {
            getRuntimeContext().addAccumulator("passed", passed);
        }

        @Override
        public String map(String number) {
            passed.add(1L);
            return number;
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            if (FAIL.compareAndSet(true, false)) {
                throw new IllegalStateException("made to fail by the test");
            }
        }
    }
}
