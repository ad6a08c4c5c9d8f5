package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that name a strategy, and leave out mechanisms of {@code drrs}. */
@Timeout(180)
class StrategiesITCase extends CleanCluster {

    private static final long NUMBERS = 48_000;
    private static final long PER_SECOND = 4_000;

    /** Key groups of a subscale in the plan of the request. */
    private static final int TOGETHER = 7;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    private static final int BATCH = 4;

    /** How many subscales come of a plan of so many, in which key groups have these owners. */
    private interface Subscales {
        long of(SortedMap<Integer, String> owners, int planned);
    }

    private record Choice(String strategy, String option, String value, Subscales subscales) {}

    private static final List<Choice> CHOICES =
            List.of(
                    new Choice("otfs", null, null, (owners, planned) -> pairs(owners).size()),
                    new Choice(
                            "meces",
                            "drrs.meces.batch",
                            String.valueOf(BATCH),
                            (owners, planned) -> pairsInSteps(List.copyOf(owners.values()))),
                    new Choice(
                            "megaphone",
                            "drrs.megaphone.batch",
                            String.valueOf(BATCH),
                            (owners, planned) ->
                                    pairs(owners).values().stream()
                                            .mapToLong(n -> (n + BATCH - 1) / BATCH)
                                            .sum()),
                    without("decoupling", (owners, planned) -> planned),
                    without("record-scheduling", (owners, planned) -> planned),
                    without("subscale-division", (owners, planned) -> pairs(owners).size()));

    /** By pair of owners how many key groups move. */
    private static Map<String, Long> pairs(SortedMap<Integer, String> owners) {
        return owners.values().stream()
                .collect(Collectors.groupingBy(pair -> pair, Collectors.counting()));
    }

    private static long pairsInSteps(List<String> owners) {
        long subscales = 0;
        for (int from = 0; from < owners.size(); from += BATCH) {
            int to = Math.min(from + BATCH, owners.size());
            subscales += owners.subList(from, to).stream().distinct().count();
        }
        return subscales;
    }

    private static Choice without(String mechanism, Subscales subscales) {
        return new Choice("drrs", "drrs.strategy." + mechanism, "false", subscales);
    }

    @Covers(
            value =
                    "requests: strategies otfs, meces, megaphone, drrs without one of its mechanisms",
            path = {2, 3, 2})
    @Test
    void outputIsExactWithEachOfThem(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "strategies";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.keep(
                name,
                LateState.inProcess(TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND)));
        RunningJob job = RunningJob.start(cluster, env, name);

        for (Choice choice : CHOICES) {
            rescale(job, choice, 3);
            rescale(job, choice, 2);
        }
        job.awaitEnd();

        assertThat(KeptResults.difference(name, LateState.expected(NUMBERS))).isEmpty();
    }

    private static void rescale(RunningJob job, Choice choice, int parallelism) throws Exception {
        ObjectNode request = job.rescales().request("operator", parallelism, TOGETHER);
        request.put("strategy", choice.strategy);
        if (choice.option != null) {
            request.putObject("options").put(choice.option, choice.value);
        }
        JsonNode planned = request.path("subscales");
        SortedMap<Integer, String> owners = new TreeMap<>();
        for (JsonNode subscale : planned) {
            String pair = subscale.path("from") + ">" + subscale.path("to");
            subscale.path("key_groups").forEach(keyGroup -> owners.put(keyGroup.asInt(), pair));
        }

        JsonNode status = job.rescales().await(job.rescales().begin(request));

        assertThat(status.path("phase").asText()).as(status.toString()).isEqualTo("COMPLETED");
        assertThat(status.path("strategy").asText()).isEqualTo(choice.strategy);
        assertThat(status.path("subscales").path("total").asLong())
                .as(status.toString())
                .isEqualTo(choice.subscales.of(owners, planned.size()));
        if (!choice.strategy.equals("drrs") || choice.option.endsWith("decoupling")) {
            assertThat(status.path("records").path("rerouted").asLong()).isZero();
        }
        job.awaitCheckpoint();
    }

    @Refuses("requests: a strategy that there is not, an option that it has not")
    @Test
    void whatThereIsIsListed(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "no-strategy";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        CountedNumbers.define(env, name, NUMBERS, TimedNumbers.paced(NUMBERS, PER_SECOND));
        RunningJob job = RunningJob.start(cluster, env, name);
        ObjectNode request = job.rescales().request("count", 3, TOGETHER);

        assertThat(job.rescales().post(request.put("strategy", "rhino")).toString())
                .contains("UNKNOWN_STRATEGY", "there is drrs, meces, megaphone, otfs.");
        request.put("strategy", "megaphone").putObject("options").put("drrs.copy-ahead", true);
        assertThat(job.rescales().post(request).toString())
                .contains("UNKNOWN_OPTION", "it has drrs.megaphone.batch.");

        assertThat(job.rescales().history()).isEmpty();
        job.cancel();
    }
}
