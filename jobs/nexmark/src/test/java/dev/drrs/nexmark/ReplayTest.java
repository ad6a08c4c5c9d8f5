package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Auction;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.Event.Person;
import dev.drrs.nexmark.generator.SplitPlan;
import dev.drrs.nexmark.generator.Workload;
import dev.drrs.nexmark.options.Arguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayTest {

    private static final int PARTS = 3;

    @TempDir Path directory;
    private Path dataSet;
    private JobRun generated;

    @BeforeEach
    void writeDataSet() throws IOException {
        dataSet = Files.createDirectory(directory.resolve("data"));
        String[] args = {
            "--output", "unused", "--events", "3000", "--splits", "" + PARTS, "--rate", "1000"
        };
        generated = new JobRun(directory, args);
        Workload workload = SourceFactory.workload(Arguments.parse(args));
        for (int part = 0; part < PARTS; part++) {
            List<String> lines = new ArrayList<>();
            SplitPlan plan = workload.split(part);
            for (long position = 0; position < plan.size(); position++) {
                lines.add(line(plan.event(position)));
            }
            Files.write(dataSet.resolve("part-0000" + part + ".jsonl"), lines);
        }
        Files.writeString(
                dataSet.resolve("manifest.json"),
                "{\n  \"version\": 1, \"mode\": \"mixed\", \"parts\": 3, \"rate\": 1000, \"preload_keys\": 2000\n}\n");
    }

    private static String line(Event event) {
        String start =
                "{\"e\":%d,\"t\":%d,\"ts\":%d,"
                        .formatted(event.number(), event.offsetMs(), event.timestamp());
        if (event instanceof Bid bid) {
            return start
                    + "\"y\":\"b\",\"auction\":%d,\"bidder\":%d,\"price\":%d}"
                            .formatted(bid.auction(), bid.bidder(), bid.price());
        }
        if (event instanceof Auction auction) {
            return start
                    + "\"y\":\"a\",\"id\":%d,\"initialBid\":1,\"reserve\":2,\"expires\":3,\"seller\":4,\"category\":10}"
                            .formatted(auction.id());
        }
        return start
                + "\"y\":\"p\",\"id\":%d,\"name\":\"A \\\"quoted\\\" N\\u00e4me\",\"city\":\"Kent\",\"state\":\"WA\"}"
                        .formatted(((Person) event).id());
    }

    @Test
    void aReplayedRunGivesTheResultsOfTheEventsInTheDataSet() throws Exception {
        JobRun job = job("--paced", "false", "--ballast-bytes", "20").run();
        assertThat(JobRun.sorted(job.results()))
                .isEqualTo(JobRun.sorted(PlainQueries.count(generated.bids(), Bid::bidder)));
    }

    @Test
    void aRestoredReplayGoesOnInTheMiddleOfItsFiles() throws Exception {
        JobRun first = job("--hold", "true");
        JobClient client = first.start();
        first.awaitResults(lines -> lines.size() > 300);
        String savepoint =
                client.stopWithSavepoint(
                                false,
                                directory.resolve("savepoint").toString(),
                                SavepointFormatType.CANONICAL)
                        .get();
        JobRun second =
                job("--paced", "false").with("execution.state-recovery.path", savepoint).run();
        assertThat(second.results()).hasSize(2760);
        assertThat(JobRun.sorted(PlainQueries.lastOfEachKey(second.results())))
                .isEqualTo(
                        JobRun.sorted(
                                PlainQueries.lastOfEachKey(
                                        PlainQueries.count(generated.bids(), Bid::bidder))));
    }

    @Test
    void aManifestOfAnotherVersionIsRefused() throws IOException {
        Files.writeString(dataSet.resolve("manifest.json"), "{\"version\":2,\"parts\":3}");
        assertThatThrownBy(() -> job().run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has version 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"e\":1,\"t\":}", "{\"y\":\"k\",\"key\":1,\"ts\":0}"})
    void aMalformedEventEndsTheJobWithItsPlace(String line) throws IOException {
        Files.writeString(dataSet.resolve("part-00001.jsonl"), line + "\n");
        assertThatThrownBy(() -> job("--paced", "false").run())
                .hasStackTraceContaining("part-00001.jsonl, event at byte 0");
    }

    private JobRun job(String... more) {
        List<String> args =
                new ArrayList<>(List.of("--replay", dataSet.toString(), "--key", "bidder"));
        args.addAll(List.of(more));
        return new JobRun(directory.resolve("output"), args.toArray(String[]::new));
    }
}
