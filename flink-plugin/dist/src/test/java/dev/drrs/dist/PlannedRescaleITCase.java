package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that give a parallelism and leave the plan to the JobManager. */
@Timeout(600)
class PlannedRescaleITCase extends CleanCluster {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long NUMBERS = 48_000;
    private static final long PER_SECOND = 4_000;
    private static final int MAX_PARALLELISM = 128;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers(
            value = "requests: a parallelism only, of the only elastic operator",
            path = {2, 4, 2, 5, 3})
    @Test
    void aParallelismIsEnoughForTheOnlyOperator(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "planned";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.keep(
                name,
                LateState.inProcess(TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND)));
        RunningJob job = RunningJob.start(cluster, env, name);

        for (int target : new int[] {4, 2, 5, 3}) {
            JsonNode status = job.rescales().await(job.rescales().begin(only(target)));
            assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
            assertThat(status.path("key_groups").path("total"))
                    .isEqualTo(status.path("min_key_groups"));
            assertEven(job.rescales().placement("operator"), target);
            job.awaitCheckpoint();
        }
        job.awaitEnd();

        assertThat(KeptResults.difference(name, LateState.expected(NUMBERS))).isEmpty();
    }

    @Covers("requests: a parallelism only, of several operators, with dry_run and abort")
    @Test
    void severalOperatorsAndADryRunAndAnAbortNeedNoPlanEither(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "planned-together";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        CountedNumbers.define(env, name, NUMBERS, TimedNumbers.paced(NUMBERS, PER_SECOND));
        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        int[] start = rescales.placement("count");
        ObjectNode both = RescaleClient.together(of("count", 4), of("total", 3));

        JsonNode dryRun = rescales.post(both.deepCopy().put("dry_run", true));
        assertThat(dryRun.path("valid").asBoolean()).isTrue();
        assertThat(dryRun.path("operators")).hasSize(2);
        assertThat(rescales.history()).isEmpty();
        Hold migration = HeldState.hold(keyThatLeaves(start));
        String withdrawn = rescales.begin(of("count", 4));
        migration.awaitReached();
        rescales.abort(withdrawn);
        migration.goOn();
        assertThat(rescales.await(withdrawn).path("phase").asText()).isEqualTo("ABORTED");
        assertThat(rescales.placement("count")).isEqualTo(start);

        job.awaitCheckpoint();
        JsonNode status = rescales.await(rescales.begin(both));
        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        assertEven(rescales.placement("count"), 4);
        assertEven(rescales.placement("total"), 3);
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    @Refuses("requests: a parallelism only, where it does not say what is meant")
    @Test
    void whatIsNotClearIsRefusedWithAllFaults(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "unclear";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        CountedNumbers.define(env, name, NUMBERS, TimedNumbers.paced(NUMBERS, PER_SECOND));
        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();

        JsonNode unnamed = rescales.post(only(4));
        assertThat(codes(unnamed)).isEqualTo("AMBIGUOUS_VERTEX");
        assertThat(unnamed.toString()).contains("one of count, total");
        assertThat(codes(rescales.post(of("count", 2)))).isEqualTo("PARALLELISM_UNCHANGED");
        assertThat(codes(rescales.post(of("count", 9)))).contains("ABOVE_CEILING");
        assertThat(codes(rescales.post(of("count", 0)))).isEqualTo("PARALLELISM_BELOW_ONE");
        ObjectNode halfAPlan = of("count", 4);
        halfAPlan.putArray("placement").add(0);
        assertThat(codes(rescales.post(halfAPlan))).isEqualTo("PLAN_INCOMPLETE");
        ObjectNode several = RescaleClient.together(of("count", 4), of("total", 2));
        assertThat(codes(rescales.post(several.put("speed", 1))))
                .isEqualTo("MALFORMED_REQUEST,PARALLELISM_UNCHANGED");

        assertThat(rescales.history()).isEmpty();
        job.awaitEnd();
    }

    /** The highest key groups of an old owner leave. */
    private static int keyThatLeaves(int[] placement) {
        return IntStream.range(0, CountedNumbers.KEYS)
                .boxed()
                .filter(key -> placement[keyGroup(key)] == 0)
                .reduce((one, other) -> keyGroup(one) > keyGroup(other) ? one : other)
                .orElseThrow();
    }

    private static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM);
    }

    private static void assertEven(int[] placement, int parallelism) {
        Map<Integer, Long> owned =
                Arrays.stream(placement)
                        .boxed()
                        .collect(Collectors.groupingBy(owner -> owner, Collectors.counting()));
        assertThat(owned).hasSize(parallelism);
        long share = placement.length / parallelism;
        assertThat(owned.values()).allMatch(count -> count == share || count == share + 1);
    }

    private static ObjectNode only(int parallelism) {
        return JSON.createObjectNode().put("parallelism", parallelism);
    }

    private static ObjectNode of(String vertex, int parallelism) {
        return only(parallelism).put("vertex", vertex);
    }

    private static String codes(JsonNode answer) {
        return String.join(",", answer.path("errors").findValuesAsText("code"));
    }
}
