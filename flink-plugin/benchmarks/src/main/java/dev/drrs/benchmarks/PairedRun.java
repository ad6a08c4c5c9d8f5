package dev.drrs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs each benchmark in JVMs with and without the agent, by turns, so that a machine whose speed
 * changes changes both. Prints a table, writes JSON, and fails if a variant allocates more per
 * record than stock.
 */
public final class PairedRun {

    private static final List<Variant> ALL = List.of(Variant.values());
    private static final List<Variant> WITHOUT_HOOKS = List.of(Variant.STOCK, Variant.WOVEN);
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private record Subject(Class<?> type, String method, List<Variant> variants) {
        String name() {
            return type.getSimpleName().replace("Benchmark", "") + "." + method;
        }
    }

    private static final List<Subject> SUBJECTS =
            List.of(
                    new Subject(KeyGroupRoutingBenchmark.class, "selectChannel", ALL),
                    new Subject(EmitBenchmark.class, "emitRecord", ALL),
                    new Subject(NetworkInputBenchmark.class, "emitNext", WITHOUT_HOOKS),
                    new Subject(RecordPathBenchmark.class, "exchange", ALL),
                    new Subject(WatermarkBenchmark.class, "inputWatermark", ALL));

    private PairedRun() {}

    /**
     * @param args path of the agent's jar, path of the JSON to write, number of rounds, pattern of
     *     benchmarks
     */
    public static void main(String[] args) throws IOException, RunnerException {
        Path jar = Path.of(args[0]).toAbsolutePath().normalize();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException(
                    "There is no plug-in at " + jar + ": build module dist first.");
        }
        Path out = Path.of(args[1]).toAbsolutePath().normalize();
        int rounds = Integer.parseInt(args[2]);
        Pattern include = Pattern.compile(args[3]);
        List<Comparison> comparisons = new ArrayList<>();
        for (Subject subject : SUBJECTS) {
            if (include.matcher(subject.name()).find()) {
                comparisons.add(compare(subject, jar, rounds));
            }
        }
        Files.createDirectories(out.getParent());
        Files.writeString(out, json(comparisons, rounds));
        System.out.print(table(comparisons, rounds));
        List<String> faults = faults(comparisons);
        faults.forEach(System.out::println);
        if (!faults.isEmpty()) {
            System.exit(1);
        }
    }

    private static Comparison compare(Subject subject, Path jar, int rounds)
            throws RunnerException {
        Comparison comparison = new Comparison(subject.name());
        for (int round = 1; round <= rounds; round++) {
            for (Variant variant : subject.variants()) {
                Score score = run(subject, variant, jar);
                comparison.add(variant, score);
                System.out.printf(
                        "%s, round %d, %s: %.2f ns, %.2f B%n",
                        subject.name(), round, variant, score.nanos(), score.bytes());
            }
        }
        return comparison;
    }

    private static Score run(Subject subject, Variant variant, Path jar) throws RunnerException {
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .include(
                                "^"
                                        + Pattern.quote(
                                                subject.type.getName() + "." + subject.method)
                                        + "$")
                        .forks(1)
                        .warmupIterations(4)
                        .warmupTime(TimeValue.milliseconds(500))
                        .measurementIterations(5)
                        .measurementTime(TimeValue.milliseconds(500))
                        .addProfiler(GCProfiler.class)
                        .jvmArgsAppend("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC")
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true);
        if (subject.variants.contains(Variant.ELASTIC)) {
            options = options.param("hooks", variant.hooks);
        }
        if (variant.agent) {
            options =
                    options.jvmArgsAppend(
                            "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-javaagent:" + jar);
        }
        RunResult result = new Runner(options.build()).runSingle();
        return new Score(result.getPrimaryResult().getScore(), allocated(result));
    }

    @SuppressWarnings("rawtypes")
    private static double allocated(RunResult result) {
        for (Map.Entry<String, Result> entry : result.getSecondaryResults().entrySet()) {
            if (entry.getKey().endsWith(ALLOCATED)) {
                return entry.getValue().getScore();
            }
        }
        throw new IllegalStateException("the profiler measured no " + ALLOCATED);
    }

    private static List<String> faults(List<Comparison> comparisons) {
        List<String> faults = new ArrayList<>();
        for (Comparison comparison : comparisons) {
            for (Variant variant : comparison.variants()) {
                if (comparison.allocatesMore(variant)) {
                    faults.add(
                            String.format(
                                    "%s: %s allocates %.2f bytes per operation, stock %.2f",
                                    comparison.benchmark(),
                                    variant,
                                    comparison.bytes(variant),
                                    comparison.bytes(Variant.STOCK)));
                }
            }
        }
        return faults;
    }

    private static String table(List<Comparison> comparisons, int rounds) {
        StringBuilder table = new StringBuilder();
        table.append(
                String.format(
                        "%nThroughput relative to stock Flink without the agent, %d pairs of JVMs (1.00 = equal)%n%n"
                                + "%-32s %-8s %10s %10s %8s %17s %9s %9s%n",
                        rounds,
                        "benchmark",
                        "variant",
                        "stock ns",
                        "ns",
                        "median",
                        "min .. max",
                        "stock B",
                        "B"));
        for (Comparison comparison : comparisons) {
            for (Variant variant : comparison.variants()) {
                double[] ratios = comparison.ratios(variant);
                table.append(
                        String.format(
                                "%-32s %-8s %10.2f %10.2f %8.3f    %.3f .. %.3f %9.2f %9.2f%n",
                                comparison.benchmark(),
                                variant.name().toLowerCase(Locale.ROOT),
                                comparison.nanos(Variant.STOCK),
                                comparison.nanos(variant),
                                Comparison.median(ratios),
                                ratios[0],
                                ratios[ratios.length - 1],
                                comparison.bytes(Variant.STOCK),
                                comparison.bytes(variant)));
            }
        }
        return table.toString();
    }

    private static String json(List<Comparison> comparisons, int rounds) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("pairs", rounds)
                .put("java", System.getProperty("java.version"))
                .put("allocation_slack_bytes", Comparison.ALLOCATION_SLACK);
        ArrayNode list = root.putArray("benchmarks");
        for (Comparison comparison : comparisons) {
            for (Variant variant : comparison.variants()) {
                double[] ratios = comparison.ratios(variant);
                ObjectNode node = list.addObject();
                node.put("name", comparison.benchmark())
                        .put("variant", variant.name().toLowerCase(Locale.ROOT));
                node.putObject("ratio")
                        .put("min", ratios[0])
                        .put("median", Comparison.median(ratios))
                        .put("max", ratios[ratios.length - 1]);
                node.put("stock_bytes_per_op", comparison.bytes(Variant.STOCK))
                        .put("bytes_per_op", comparison.bytes(variant));
                scores(node.putArray("stock_ns_per_op"), comparison.scores(Variant.STOCK));
                scores(node.putArray("ns_per_op"), comparison.scores(variant));
            }
        }
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    }

    private static void scores(ArrayNode array, List<Score> scores) {
        scores.forEach(score -> array.add(score.nanos()));
    }
}
