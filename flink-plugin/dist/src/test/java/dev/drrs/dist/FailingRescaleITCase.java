package dev.drrs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rescale that fails a task every time: the job survives it, with the restarts it allows. */
@Timeout(600)
class FailingRescaleITCase extends CleanCluster {

    private static final long NUMBERS = 40_000;
    private static final long PER_SECOND = 2_000;
    private static final long POLL_MILLIS = 50;

    @RegisterExtension static final MiniClusterExtension CLUSTER = CleanCluster.of(3, 2);

    @Covers("failures: state that cannot be read or written, each time it is to move")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stateThatCannotMove(boolean written, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String name = "poison-" + written;
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.restartOnceByDefault(env);
        RescaledJob.keep(name, PoisonState.of(numbers(env), written));

        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        String id = rescales.begin(rescales.request("operator", 3, 16));
        JsonNode first = rescales.await(id);
        assertThat(first.path("phase").asText()).isEqualTo("FAILED");
        assertThat(first.path("reason").asText()).contains("poison to " + (written ? "w" : "r"));
        JsonNode history = job.awaitRecovery();

        assertThat(history).as("three towards the goal").hasSizeBetween(3, 4);
        if (history.size() == 4) { // the last checkpoint has the new subtask
            JsonNode back = history.get(0);
            assertThat(back.path("phase").asText()).as(back.toString()).isEqualTo("COMPLETED");
            assertThat(back.path("cause").asText()).contains("it goes back").contains("3 attempts");
        }
        assertThat(job.running("operator")).containsExactly(0, 1);
        job.awaitEnd();
        Map<String, Integer> expected = new HashMap<>();
        for (long key = 0; key < PoisonState.KEYS; key++) {
            for (long count = 1; count <= NUMBERS / PoisonState.KEYS; count++) {
                expected.put(PoisonState.expected(key, count), 1);
            }
        }
        // The sink is not transactional: what it got since a checkpoint comes again, unchanged.
        assertThat(KeptResults.of(name).keySet()).isEqualTo(expected.keySet());
    }

    /** On stock Flink such a job runs as long as nobody writes its state. */
    @Covers("failures: state that cannot be written at all, in a job without checkpoints")
    @Test
    void stateThatIsNeverWrittenIsRefusedByNameAndTheJobGoesOn(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "poison-never";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        env.getCheckpointConfig().disableCheckpointing();
        RescaledJob.keep(name, PoisonState.neverWritten(numbers(env)));

        JobClient client = env.executeAsync(name);
        while (client.getJobStatus().get() != JobStatus.RUNNING) {
            Thread.sleep(POLL_MILLIS); // a MiniCluster has nothing to wait for
        }
        RescaleClient rescales = new RescaleClient(cluster, client);
        String reason = "null";
        while (reason.equals("null")) { // until there is state to look at
            reason = rescales.vertex("operator").path("reason").asText();
        }
        assertThat(reason).contains("state cannot be written").contains("poison to write");
        assertThatThrownBy(() -> rescales.rescale("operator", 3))
                .hasMessageContaining("NOT_SUPPORTED")
                .hasMessageContaining("poison to write");
        TimedNumbers.awaitEnd(client);

        assertThat(KeptResults.of(name)).hasSize((int) NUMBERS);
    }

    @Covers("failures: an operator that cannot be opened in new subtasks")
    @Test
    void aNewSubtaskThatDoesNotOpen(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "does-not-open";
        StreamExecutionEnvironment env = RescaledJob.environment(2, false);
        RescaledJob.restartOnce(env);
        RescaledJob.keep(name, SeveralInputs.single(numbers(env)).map(new Fragile(name, 2, true)));

        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        String id = rescales.begin(rescales.request("operator", 3, 16));
        JsonNode end = rescales.await(id);
        assertThat(end.path("phase").asText()).isEqualTo("FAILED");
        assertThat(end.path("reason").asText()).contains("subtask 2 cannot be opened");
        while (Fragile.failures(name) < 3) {
            job.awaitCheckpoint();
        }
        job.awaitCheckpoint();
        job.awaitCheckpoint();

        assertThat(Fragile.failures(name)).as("attempts, as many as are allowed").isEqualTo(3);
        assertThat(job.running("operator")).containsExactly(0, 1);
        job.awaitEnd();
    }

    @Covers("failures: an operator that cannot be closed in retiring subtasks")
    @Test
    void aSubtaskThatDoesNotClose(@InjectMiniCluster MiniCluster cluster) throws Exception {
        String name = "does-not-close";
        StreamExecutionEnvironment env = RescaledJob.environment(3, false);
        RescaledJob.restartOnce(env);
        RescaledJob.keep(name, SeveralInputs.single(numbers(env)).map(new Fragile(name, 2, false)));

        RunningJob job = RunningJob.start(cluster, env, name);
        RescaleClient rescales = job.rescales();
        String id = rescales.begin(rescales.request("operator", 2, 16));
        JsonNode end = rescales.await(id);
        job.awaitRecovery();
        job.awaitCheckpoint();

        assertThat(Fragile.failures(name)).as(end.toString()).isBetween(1, 6);
        job.awaitEnd();
    }

    private static DataStream<Tuple2<Long, Long>> numbers(StreamExecutionEnvironment env) {
        return TimedNumbers.untilReleased(env, "a", NUMBERS, PER_SECOND);
    }

    /** In one subtask it cannot be opened, or not be closed while the job runs. */
    private static final class Fragile extends RichMapFunction<String, String> {
        private static final Map<String, AtomicInteger> FAILURES = new ConcurrentHashMap<>();

        private final String job;
        private final int subtask;
        private final boolean opening;

        Fragile(String job, int subtask, boolean opening) {
            this.job = job;
            this.subtask = subtask;
            this.opening = opening;
        }

        static int failures(String job) {
            return FAILURES.computeIfAbsent(job, name -> new AtomicInteger()).get();
        }

        private void fail(String what) {
            if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == subtask) {
                FAILURES.computeIfAbsent(job, name -> new AtomicInteger()).incrementAndGet();
                throw new IllegalStateException("subtask " + subtask + " cannot be " + what);
            }
        }

        @Override
        public void open(OpenContext context) {
            if (opening) {
                fail("opened");
            }
        }

        @Override
        public String map(String value) {
            return value;
        }

        @Override
        public void close() {
            if (!opening && !TimedNumbers.isReleased()) {
                fail("closed");
            }
        }
    }
}
