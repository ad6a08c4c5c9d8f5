package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Bid;
import java.nio.file.Path;
import java.util.LongSummaryStatistics;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoreTest {

    @TempDir Path directory;

    @Test
    void splitsSpreadOverOtherReadersGoOnWhereTheyStoodAndOnTheFirstRunsSchedule()
            throws Exception {
        JobRun first = job("2", "2").and("--hold", "true");
        JobClient client = first.start();
        first.awaitResults(lines -> lines.size() > 500);
        String savepoint =
                client.stopWithSavepoint(
                                false,
                                directory.resolve("savepoint").toString(),
                                SavepointFormatType.CANONICAL)
                        .get();
        int before = first.results().size();
        JobRun second = job("3", "3").with("execution.state-recovery.path", savepoint).run();

        assertThat(before).isBetween(500, 2760);
        assertThat(second.results()).hasSize(2760);
        assertThat(JobRun.sorted(PlainQueries.lastOfEachKey(second.results())))
                .isEqualTo(
                        JobRun.sorted(
                                PlainQueries.lastOfEachKey(
                                        PlainQueries.count(second.bids(), Bid::bidder))));
        LongSummaryStatistics schedule =
                second.latencies().stream()
                        .mapToLong(line -> JobRun.field(line, "s"))
                        .summaryStatistics();
        assertThat(schedule.getMax() - schedule.getMin()).isEqualTo(2999 - 4);
    }

    private JobRun job(String sourceParallelism, String parallelism) {
        return new JobRun(
                directory.resolve("output"),
                "--events",
                "3000",
                "--rate",
                "1000",
                "--splits",
                "5",
                "--key",
                "bidder",
                "--ballast-bytes",
                "100",
                "--source-parallelism",
                sourceParallelism,
                "--parallelism",
                parallelism);
    }
}
