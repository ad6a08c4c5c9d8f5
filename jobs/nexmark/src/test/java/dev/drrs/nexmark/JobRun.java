package dev.drrs.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.Event.Bid;
import dev.drrs.nexmark.generator.SplitPlan;
import dev.drrs.nexmark.generator.Workload;
import dev.drrs.nexmark.options.Arguments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Runs a job in a cluster inside this JVM and reads what it wrote. */
final class JobRun {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path output;
    private final List<String> args = new ArrayList<>();
    private final Configuration configuration = new Configuration();

    JobRun(Path output, String... args) {
        this.output = output;
        this.args.addAll(List.of("--output", output.toString()));
        this.args.addAll(List.of(args));
        configuration.setString("taskmanager.memory.network.min", "32m");
        configuration.setString("taskmanager.memory.network.max", "32m");
        configuration.setString("rest.port", "0");
    }

    /** Gives the job more arguments; of those given twice the last counts. */
    JobRun and(String... more) {
        args.addAll(List.of(more));
        return this;
    }

    JobRun with(String key, String value) {
        configuration.setString(key, value);
        return this;
    }

    /** To the end of a bounded job. */
    JobRun run() throws Exception {
        StreamExecutionEnvironment environment = environment();
        environment.execute(NexmarkJob.build(environment, args.toArray(String[]::new)));
        return this;
    }

    JobClient start() throws Exception {
        StreamExecutionEnvironment environment = environment();
        String name = NexmarkJob.build(environment, args.toArray(String[]::new));
        return environment.executeAsync(name);
    }

    private StreamExecutionEnvironment environment() {
        return StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    }

    List<String> results() throws IOException {
        return lines("results");
    }

    List<String> latencies() throws IOException {
        return lines("latency");
    }

    private List<String> lines(String folder) throws IOException {
        List<String> lines = new ArrayList<>();
        if (!Files.exists(output.resolve(folder))) {
            return lines;
        }
        try (Stream<Path> files = Files.list(output.resolve(folder))) {
            files.forEach(file -> lines.addAll(read(file)));
        }
        return lines;
    }

    /**
     * Waits until the results written so far satisfy a condition; they are files, so it looks again
     * and again.
     */
    void awaitResults(Predicate<List<String>> condition) throws Exception {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (!condition.test(results())) {
            assertThat(Instant.now())
                    .as("results in time; so far %d", results().size())
                    .isBefore(deadline);
            Thread.sleep(20);
        }
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bids of the workload in the order of their schedule, ties by split. */
    List<Bid> bids() {
        Workload workload = SourceFactory.workload(Arguments.parse(args.toArray(String[]::new)));
        List<Bid> bids = new ArrayList<>();
        for (int split = 0; split < workload.splits(); split++) {
            SplitPlan plan = workload.split(split);
            for (long position = 0; position < plan.size(); position++) {
                Event event = plan.event(position);
                if (event instanceof Bid bid) {
                    bids.add(bid);
                }
            }
        }
        bids.sort(Comparator.comparingLong(Bid::offsetMs));
        return bids;
    }

    /** The value of a numeric field of a line. */
    static long field(String line, String name) {
        String start = "\"" + name + "\":";
        int from = line.indexOf(start);
        assertThat(from).as("field %s in %s", name, line).isNotNegative();
        int to = from + start.length();
        int end = to;
        while (Character.isDigit(line.charAt(end)) || line.charAt(end) == '-') {
            end++;
        }
        return Long.parseLong(line.substring(to, end));
    }

    static List<String> sorted(Collection<String> lines) {
        return lines.stream().sorted().toList();
    }
}
