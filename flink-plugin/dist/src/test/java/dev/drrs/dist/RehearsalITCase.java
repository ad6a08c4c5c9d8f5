package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.rehearsal.OneMore;
import dev.drrs.runtime.rehearsal.Rehearsals;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the JobManager and a TaskManager of an elastic job run before any rescale. */
@Timeout(600)
class RehearsalITCase extends CleanCluster {

    private static final long POLL_MILLIS = 50; // neither has anything to wait for
    private static final long NUMBERS = 400_000;
    private static final long PER_SECOND = 2_000;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(2, 4);

    @BeforeEach
    @AfterEach
    void anotherOne() throws Exception {
        OneMore.rehearsal();
    }

    private static RunningJob start(MiniCluster cluster, String name, boolean rehearsal)
            throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        Map<String, String> options =
                Map.of(
                        "drrs.rehearsal",
                        String.valueOf(rehearsal),
                        "drrs.rehearsal.patience",
                        "100 ms");
        env.configure(Configuration.fromMap(options));
        return CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
    }

    private static void assertExactAtTheEnd(RunningJob job, String name) throws Exception {
        job.awaitEnd();
        CountedNumbers.assertExact(name, NUMBERS);
    }

    private static JsonNode overview(MiniCluster cluster) throws Exception {
        URI overview = cluster.getRestAddress().get().resolve("/drrs/overview");
        HttpResponse<String> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(overview).build(),
                                HttpResponse.BodyHandlers.ofString());
        return new ObjectMapper().readTree(answer.body());
    }

    private static String shown(MiniCluster cluster) throws Exception {
        return overview(cluster).path("task_managers").path(0).path("rehearsal").asText();
    }

    private static String awaitEnd(Rehearsals one) throws Exception {
        while (Set.of("none", "under way").contains(one.status())) {
            Thread.sleep(POLL_MILLIS);
        }
        // The latter on a machine that is slow.
        assertThat(one.status()).matches("done in [0-9]+ ms|stopped: its 60 seconds are over");
        return one.status();
    }

    /** Metrics are fetched now and then. */
    private static void awaitShown(MiniCluster cluster, String status) throws Exception {
        while (!shown(cluster).equals(status)) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    @Test
    void eachJvmRehearsesOnceAndTheJobIsRescaledAfterwardsAsEver(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        RunningJob job = start(cluster, "rehearsed", true);
        String status = awaitEnd(Rehearsals.OF_TASKS);
        String coordinator = awaitEnd(Rehearsals.OF_COORDINATOR);
        awaitShown(cluster, status);
        assertThat(overview(cluster).path("rehearsal").asText()).isEqualTo(coordinator);
        job.rescale("count", 4);
        job.rescale("count", 2);
        assertExactAtTheEnd(job, "rehearsed");
        assertThat(Rehearsals.OF_TASKS.status()).isEqualTo(status);
        assertThat(Rehearsals.OF_COORDINATOR.status()).isEqualTo(coordinator);
    }

    @Test
    void aRescaleThatIsAskedForMeanwhileEndsIt(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        OneMore.thatWaits();
        RunningJob job = start(cluster, "rehearsing", true);
        assertThat(Rehearsals.OF_TASKS.status()).isEqualTo("under way");
        job.rescale("count", 4);
        awaitShown(cluster, "stopped: a rescale began");
        assertThat(Rehearsals.OF_COORDINATOR.status())
                .matches("stopped: a rescale began|done in .*");
        assertExactAtTheEnd(job, "rehearsing");
    }

    @Test
    void withoutTheOptionThereIsNone(@InjectMiniCluster MiniCluster cluster) throws Exception {
        RunningJob job = start(cluster, "unrehearsed", false);
        job.rescale("count", 4);
        assertThat(Rehearsals.OF_TASKS.status()).isEqualTo("none");
        assertThat(Rehearsals.OF_COORDINATOR.status()).isEqualTo("none");
        assertExactAtTheEnd(job, "unrehearsed");
    }
}
