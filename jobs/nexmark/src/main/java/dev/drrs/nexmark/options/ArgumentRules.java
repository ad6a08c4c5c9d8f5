package dev.drrs.nexmark.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What must hold between options, so that a bad command line is told at once and not by a failing
 * job.
 */
final class ArgumentRules {

    private static final Set<String> WITH_BALLAST = Set.of("count", "q17", "states", "synthetic");

    /** Their weights are in memory. */
    private static final long MOST_KEYS = 10_000_000;

    private static final List<Option> OF_THE_GENERATOR =
            List.of(
                    Options.MODE,
                    Options.SEED,
                    Options.START_NUMBER,
                    Options.LAYOUT,
                    Options.SPLITS,
                    Options.RATE,
                    Options.RATE_SHAPE,
                    Options.DISORDER_GROUP);

    private static final List<Option> OF_THE_SCHEDULE =
            List.of(
                    Options.REPLAY,
                    Options.PACED,
                    Options.EPOCH_MS,
                    Options.START_DELAY_MS,
                    Options.IDLE_SPLITS,
                    Options.PRELOAD_FIRST_KEY,
                    Options.SECOND_SOURCE,
                    Options.OPENING_FILE);

    private ArgumentRules() {}

    static List<String> faults(Arguments arguments) {
        List<String> faults = new ArrayList<>();
        if (arguments.text(Options.OUTPUT).isEmpty()) {
            faults.add("--output is needed");
        }
        for (Option option :
                List.of(
                        Options.PARALLELISM,
                        Options.SOURCE_PARALLELISM,
                        Options.SINK_PARALLELISM,
                        Options.MAX_PARALLELISM,
                        Options.RATE,
                        Options.DISORDER_GROUP,
                        Options.HOP_SIZE_MS,
                        Options.HOP_SLIDE_MS,
                        Options.WINDOW_MS,
                        Options.KEYS,
                        Options.SESSION_GAP_MS)) {
            if (arguments.number(option) < 1) {
                faults.add("--" + option.name() + " must be at least 1");
            }
        }
        if (arguments.number(Options.PARALLELISM) > arguments.number(Options.MAX_PARALLELISM)) {
            faults.add("--parallelism must not be above --max-parallelism");
        }
        if (arguments.number(Options.BALLAST_BYTES) > Integer.MAX_VALUE / 2) {
            faults.add("--ballast-bytes must be below 1 GiB");
        }
        if (arguments.flag(Options.BALLAST_SPREAD)
                && arguments.number(Options.BALLAST_BYTES) == 0) {
            faults.add("--ballast-spread needs --ballast-bytes");
        }
        if (arguments.number(Options.KEYS) > MOST_KEYS) {
            faults.add("--keys must be at most " + MOST_KEYS);
        }
        String query = arguments.text(Options.QUERY);
        for (Option option : List.of(Options.PRELOAD_KEYS, Options.BALLAST_BYTES)) {
            if (arguments.number(option) > 0 && !WITH_BALLAST.contains(query)) {
                faults.add(
                        "--"
                                + option.name()
                                + " is for the queries count, q17, states and synthetic, not "
                                + query);
            }
        }
        boolean steps = arguments.text(Options.RATE_SHAPE).equals("steps");
        int numbers = arguments.numbers(Options.RATE_STEPS).size();
        if (steps ? numbers == 0 || numbers % 2 == 1 : numbers > 0) {
            faults.add(
                    "--rate-shape steps, and no other, needs --rate-steps: a rate and its time in pairs");
        }
        if (arguments.text(Options.OPENING_FILE).isEmpty()) {
            for (Option option :
                    List.of(
                            Options.WAIT_FROM,
                            Options.BACKLOG,
                            Options.HURRY,
                            Options.SERVE_UNTIL_OPEN)) {
                if (arguments.isGiven(option)) {
                    faults.add("--" + option.name() + " needs --opening-file");
                }
            }
        }
        if (!arguments.text(Options.REPLAY).isEmpty()) {
            faults.addAll(without(arguments, OF_THE_GENERATOR, "--replay: the data set decides"));
        }
        if (!arguments.text(Options.KAFKA).isEmpty()) {
            faults.addAll(
                    without(arguments, OF_THE_GENERATOR, "--kafka: what is in the topic decides"));
            faults.addAll(
                    without(
                            arguments,
                            OF_THE_SCHEDULE,
                            "--kafka: whoever writes to the topic decides when"));
        } else if (arguments.isGiven(Options.KAFKA_TOPIC)) {
            faults.add("--kafka-topic needs --kafka");
        }
        return faults;
    }

    private static List<String> without(Arguments arguments, List<Option> options, String why) {
        return options.stream()
                .filter(arguments::isGiven)
                .map(option -> "--" + option.name() + " has no effect with " + why)
                .toList();
    }
}
