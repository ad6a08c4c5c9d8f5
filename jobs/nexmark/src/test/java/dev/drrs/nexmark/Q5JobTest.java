package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Q5JobTest {

    @TempDir Path output;

    @ParameterizedTest
    @CsvSource({"1,2000", "100,5000"})
    void rowsAreThoseOfThePlainLoopAlsoInDisorderAndOverSeveralSourceSubtasks(
            String disorder, String slide) throws Exception {
        JobRun job =
                new JobRun(
                                output,
                                "--query",
                                "q5",
                                "--events",
                                "20000",
                                "--rate",
                                "1000",
                                "--paced",
                                "false",
                                "--splits",
                                "4",
                                "--source-parallelism",
                                "2",
                                "--hop-slide-ms",
                                slide,
                                "--disorder-group",
                                disorder)
                        .run();
        assertThat(JobRun.sorted(job.results()))
                .isNotEmpty()
                .isEqualTo(
                        JobRun.sorted(PlainQueries.q5(job.bids(), 10_000, Long.parseLong(slide))));
    }
}
