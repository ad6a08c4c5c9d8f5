package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Workload;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleSplitTest {

    @TempDir Path output;

    @Test
    void windowsGoOnWhileASplitIsIdle() throws Exception {
        JobRun job = job("--idle-from-ms", "300", "--idle-to-ms", "3600000");
        JobClient client = job.start();
        long end = Workload.NEXMARK_BASE_TIME_MS + 1500;
        job.awaitResults(
                lines -> lines.stream().anyMatch(line -> JobRun.field(line, "window_end") == end));
        client.cancel().get();
    }

    @Test
    void nothingIsLateWhenASplitIsActiveAgain() throws Exception {
        JobRun job = job("--idle-from-ms", "300", "--idle-to-ms", "2500").run();
        List<Bid> bids =
                job.bids().stream()
                        .filter(
                                bid ->
                                        bid.number() % 2 == 0
                                                || bid.offsetMs() < 300
                                                || bid.offsetMs() >= 2500)
                        .toList();
        assertThat(JobRun.sorted(job.results()))
                .isEqualTo(JobRun.sorted(PlainQueries.q5(bids, 1000, 500)));
    }

    /** Two splits at two readers, of which the second goes idle. */
    private JobRun job(String... idleTime) {
        return new JobRun(
                        output,
                        "--query",
                        "q5",
                        "--events",
                        "3500",
                        "--rate",
                        "1000",
                        "--splits",
                        "2",
                        "--source-parallelism",
                        "2",
                        "--hop-size-ms",
                        "1000",
                        "--hop-slide-ms",
                        "500",
                        "--idle-splits",
                        "1")
                .and(idleTime);
    }
}
