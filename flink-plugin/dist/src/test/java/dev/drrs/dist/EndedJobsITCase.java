package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.request.JobRequest.Verb;
import dev.drrs.runtime.rest.EndedJobs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.history.FsJsonArchivist;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.runtime.webmonitor.history.ArchivedJson;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is known of the rescales of a job when it has ended: in REST, and in Flink's archive. */
@Timeout(600)
class EndedJobsITCase extends CleanCluster {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long NUMBERS = 200_000;
    private static final long PER_SECOND = 4_000;
    private static final long POLL_MILLIS = 100;

    private static final java.nio.file.Path ARCHIVE = archive();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(
                                    Configuration.fromMap(
                                            Map.of(
                                                    "jobmanager.archive.fs.dir",
                                                    ARCHIVE.toUri().toString())))
                            .setNumberTaskManagers(2)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    @Test
    @Covers("requests: the history of a job that has ended, and in its archive")
    void theHistoryIsThereWhenTheJobHasEnded(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        RunningJob job = start(cluster, "ended");
        job.rescale("count", 3);
        JsonNode before = job.rescales().history();
        job.awaitEnd();

        JsonNode history = awaitHistory(job);
        String id = history.get(0).path("request_id").asText();
        assertThat(history).isEqualTo(before);
        assertThat(history.get(0).path("phase").asText()).isEqualTo("COMPLETED");
        assertThat(job.rescales().status(id)).isEqualTo(history.get(0));
        assertThat(job.rescales().status("no-such").path("errors").get(0).path("code").asText())
                .isEqualTo("UNKNOWN_RESCALE");
        assertThat(job.rescales().abort(id).path("errors").get(0).path("code").asText())
                .isEqualTo("JOB_NOT_RUNNING");

        // As Flink keeps it on disk, and sends it from one JobManager to another.
        ArchivedExecutionGraph read =
                InstantiationUtil.clone(
                        (ArchivedExecutionGraph) cluster.getExecutionGraph(job.id()).get());
        assertThat(JSON.readTree(EndedJobs.answer(read, Verb.HISTORY, null).json()))
                .isEqualTo(JSON.createObjectNode().set("rescales", history));

        String path = "/jobs/" + job.id() + "/drrs/rescales";
        Map<String, String> archived = archived(job);
        assertThat(JSON.readTree(archived.get(path)).path("rescales")).isEqualTo(history);
        assertThat(JSON.readTree(archived.get(path + "/" + id))).isEqualTo(history.get(0));
    }

    @Test
    void aRescaleThatTheEndOfTheJobFellIntoHasFailed(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        RunningJob job = start(cluster, "cancelled");
        RescaleClient rescales = job.rescales();
        Hold migration = HeldState.hold(keyThatMoves());
        String id = rescales.begin(rescales.request("count", 4, 1));
        migration.awaitReached();
        job.cancel();
        migration.goOn();

        JsonNode last = awaitHistory(job).get(0);
        assertThat(last.path("request_id").asText()).isEqualTo(id);
        assertThat(last.path("phase").asText()).as(last.toString()).isEqualTo("FAILED");
        assertThat(last.path("reason").asText()).isNotBlank();
        assertThat(last.path("ended_at").asLong()).isPositive();
        JsonNode phases = last.path("phases");
        assertThat(phases.get(phases.size() - 1).path("phase").asText()).isEqualTo("FAILED");
    }

    @Test
    void aJobThatWasNotElasticHasNoHistory(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.configure(Configuration.fromMap(Map.of("drrs.enabled", "false")));
        CountedNumbers.define(env, "rigid", NUMBERS, TimedNumbers.paced(NUMBERS, PER_SECOND));
        RunningJob job = RunningJob.start(cluster, env, "rigid");
        job.awaitEnd();
        job.rescales().awaitGone();
        assertThat(job.rescales().status("any").path("errors").get(0).path("code").asText())
                .isEqualTo("JOB_NOT_RUNNING");
        assertThat(archived(job).keySet()).noneMatch(path -> path.contains("drrs"));
    }

    /** From 2 subtasks to 4, by {@link RescaleClient#request}. */
    private static int keyThatMoves() {
        return IntStream.range(0, CountedNumbers.KEYS)
                .filter(key -> KeyGroupRangeAssignment.assignToKeyGroup(key, 128) % 4 >= 2)
                .findFirst()
                .orElseThrow();
    }

    private static RunningJob start(MiniCluster cluster, String name) throws Exception {
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        return CountedNumbers.start(cluster, env, name, NUMBERS, PER_SECOND);
    }

    /** The JobMaster takes a moment to go. */
    private static JsonNode awaitHistory(RunningJob job) throws Exception {
        job.rescales().awaitGone();
        return job.rescales().history();
    }

    /** What the history server would show of a job, by REST's paths. */
    private static Map<String, String> archived(RunningJob job) throws Exception {
        List<java.nio.file.Path> files;
        do {
            Thread.sleep(POLL_MILLIS);
            try (Stream<java.nio.file.Path> all = Files.walk(ARCHIVE)) {
                files =
                        all.filter(Files::isRegularFile)
                                .filter(file -> file.endsWith(job.id().toString()))
                                .toList();
            }
        } while (files.isEmpty());
        return FsJsonArchivist.readArchivedJsons(new Path(files.get(0).toUri())).stream()
                .collect(Collectors.toMap(ArchivedJson::getPath, ArchivedJson::getJson));
    }

    private static java.nio.file.Path archive() {
        try {
            return Files.createTempDirectory("drrs-archive");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
