package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Bid;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueryJobTest {

    @TempDir Path output;

    @Test
    void q11FindsTheSessionsOfThePlainLoop() throws Exception {
        JobRun job =
                new JobRun(
                                output,
                                "--query",
                                "q11",
                                "--events",
                                "20000",
                                "--paced",
                                "false",
                                "--splits",
                                "3",
                                "--source-parallelism",
                                "2",
                                "--session-gap-ms",
                                "300")
                        .run();
        assertThat(JobRun.sorted(job.results()))
                .hasSizeGreaterThan(500)
                .isEqualTo(JobRun.sorted(PlainQueries.q11(job.bids(), 300)));
    }

    @Test
    void q17WritesEachRowOfThePlainLoop() throws Exception {
        JobRun job =
                new JobRun(
                                output,
                                "--query",
                                "q17",
                                "--events",
                                "5000",
                                "--paced",
                                "false",
                                "--ballast-bytes",
                                "40",
                                "--preload-keys",
                                "2000")
                        .run();
        assertThat(JobRun.sorted(job.results()))
                .isEqualTo(JobRun.sorted(PlainQueries.q17(job.bids())));
    }

    @Test
    void statesDigestsAndTimersAreThoseOfThePlainLoop() throws Exception {
        JobRun job =
                new JobRun(
                        output,
                        "--query",
                        "states",
                        "--events",
                        "3000",
                        "--paced",
                        "false",
                        "--hold",
                        "true",
                        "--splits",
                        "2",
                        "--key",
                        "bidder");
        JobClient client = job.start();
        List<String> states = PlainQueries.states(job.bids(), Bid::bidder);
        List<String> timers = PlainQueries.eventTimers(job.bids(), Bid::bidder);
        job.awaitResults(lines -> lines.size() >= states.size() + 2 * timers.size());
        client.cancel().get();
        assertThat(JobRun.sorted(ofKind(job, "\"states\""))).isEqualTo(JobRun.sorted(states));
        assertThat(JobRun.sorted(ofKind(job, "\"event\""))).isEqualTo(JobRun.sorted(timers));
        // Each firing of an event-time timer brings one of the other kind, numbered 1, 2, 3 ..
        // within the key.
        assertThat(ofKind(job, "\"processing\"").stream().map(QueryJobTest::keyAndN).sorted())
                .isEqualTo(numberedPerKey(timers));
    }

    private static List<String> ofKind(JobRun job, String kind) throws Exception {
        return job.results().stream().filter(line -> line.contains(kind)).toList();
    }

    private static String keyAndN(String line) {
        return JobRun.field(line, "key") + "/" + JobRun.field(line, "n");
    }

    private static List<String> numberedPerKey(List<String> timers) {
        Map<Long, Long> counts = new HashMap<>();
        return timers.stream()
                .map(line -> JobRun.field(line, "key"))
                .map(key -> key + "/" + counts.merge(key, 1L, Long::sum))
                .sorted()
                .toList();
    }
}
