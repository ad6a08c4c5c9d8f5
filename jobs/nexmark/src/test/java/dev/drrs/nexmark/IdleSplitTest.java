package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Workload;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleSplitTest {

    private static final long BASE = Workload.NEXMARK_BASE_TIME_MS;

    @TempDir Path output;

    @Test
    void windowsGoOnWhileASplitIsIdleAndNothingOfItIsLateAfterwards() throws Exception {
        JobRun job =
                new JobRun(
                                output,
                                "--query",
                                "q5",
                                "--events",
                                "4000",
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
                                "1",
                                "--idle-from-ms",
                                "300",
                                "--idle-to-ms",
                                "3000")
                        .run();
        List<Bid> bids =
                job.bids().stream()
                        .filter(
                                bid ->
                                        bid.number() % 2 == 0
                                                || bid.offsetMs() < 300
                                                || bid.offsetMs() >= 3000)
                        .toList();
        assertThat(JobRun.sorted(job.results()))
                .isEqualTo(JobRun.sorted(PlainQueries.q5(bids, 1000, 500)));
        // The window up to 1500 has its last input then; held back, it would come after 3000.
        long start =
                job.latencies().stream()
                                .mapToLong(line -> JobRun.field(line, "s"))
                                .max()
                                .orElseThrow()
                        - 3999;
        assertThat(job.latencies())
                .filteredOn(line -> JobRun.field(line, "s") < start + 1500)
                .isNotEmpty()
                .allSatisfy(line -> assertThat(JobRun.field(line, "o")).isLessThan(start + 2900));
        assertThat(job.results())
                .anySatisfy(
                        line ->
                                assertThat(JobRun.field(line, "window_end"))
                                        .isEqualTo(BASE + 1500));
    }
}
