package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event.Bid;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountJobTest {

    @TempDir Path output;

    @Test
    void everyOutputIsThatOfThePlainLoopAndEachKeysCounterIsContinuous() throws Exception {
        JobRun job =
                new JobRun(
                                output,
                                "--events",
                                "5000",
                                "--paced",
                                "false",
                                "--splits",
                                "3",
                                "--key",
                                "bidder",
                                "--preload-keys",
                                "1100",
                                "--ballast-bytes",
                                "50")
                        .run();
        assertThat(JobRun.sorted(job.results()))
                .isEqualTo(JobRun.sorted(PlainQueries.count(job.bids(), Bid::bidder)));
        Map<Long, Long> last = new HashMap<>();
        for (String line : job.results()) {
            long before = last.getOrDefault(JobRun.field(line, "key"), 0L);
            assertThat(JobRun.field(line, "n")).as(line).isEqualTo(before + 1);
            last.put(JobRun.field(line, "key"), before + 1);
        }
        assertThat(job.latencies()).hasSameSizeAs(job.results());
    }

    @Test
    void latencyCountsFromTheScheduleAndNoEventIsEarly() throws Exception {
        JobRun job =
                new JobRun(output, "--events", "1000", "--rate", "1000", "--key", "bidder").run();
        List<String> latencies = job.latencies();
        assertThat(latencies).hasSize(920);
        long first =
                latencies.stream().mapToLong(line -> JobRun.field(line, "s")).min().orElseThrow();
        long last =
                latencies.stream().mapToLong(line -> JobRun.field(line, "s")).max().orElseThrow();
        assertThat(last - first).isEqualTo(995);
        assertThat(latencies)
                .allSatisfy(
                        line ->
                                assertThat(JobRun.field(line, "o"))
                                        .isGreaterThanOrEqualTo(JobRun.field(line, "s")));
    }
}
