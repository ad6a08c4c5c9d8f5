package dev.drrs.nexmark.options;

import static dev.drrs.nexmark.options.Option.choice;
import static dev.drrs.nexmark.options.Option.flag;
import static dev.drrs.nexmark.options.Option.number;
import static dev.drrs.nexmark.options.Option.numbers;
import static dev.drrs.nexmark.options.Option.text;

import java.util.List;

/** All options of the job. The table in the README is made from here. */
public final class Options {

    public static final Option QUERY =
            choice(
                    "query",
                    "count|q3|q4|q5|q7|q8|q9|q11|q12|q13|q15|q16|q17|q18|q19|q20|q23|drrs-q7"
                            + "|drrs-q7-event|drrs-q8|drrs-q8-event|synthetic|states|fan|many|rules|parity",
                    "count",
                    "What the job computes");
    public static final Option OUTPUT =
            text("output", "directory", "", "Where `results/` and `latency/` go; needed");
    public static final Option NAME =
            text("name", "text", "", "Name of the job; default `nexmark-<query>`");

    public static final Option MODE =
            choice(
                    "mode",
                    "beam|mixed",
                    "mixed",
                    "Random source of an event: its number, as Beam, or seed and number mixed");
    public static final Option SEED = number("seed", 42, "Seed of mode `mixed`");
    public static final Option EVENTS =
            number(
                    "events",
                    0,
                    "How many events (of all kinds); 0 = without end, or all of the replay");
    public static final Option START_NUMBER =
            number("start-number", 0, "Number of the first event");
    public static final Option LAYOUT =
            choice(
                    "layout",
                    "interleaved|generators",
                    "interleaved",
                    "Split i of n has the events i mod n, or (Beam) a block of numbers from the base time on");
    public static final Option SPLITS =
            number("splits", 0, "Splits of the generated events; 0 = source parallelism");
    public static final Option RATE =
            number("rate", 1000, "Events per second of all splits together");
    public static final Option RATE_SHAPE =
            choice(
                    "rate-shape",
                    "constant|square|sine|steps",
                    "constant",
                    "Whether the rate changes between `rate` and `rate-2`, or by `rate-steps`");
    public static final Option RATE_2 =
            number("rate-2", 1000, "The other rate of the shapes square and sine");
    public static final Option RATE_PERIOD_MS =
            number("rate-period-ms", 60_000, "Period of the shapes square and sine");
    public static final Option RATE_STEPS =
            numbers(
                    "rate-steps",
                    "Of the shape steps: events per second, for how many ms, the next rate, ..; over and over");
    public static final Option DISORDER_GROUP =
            number(
                    "disorder-group",
                    1,
                    "Events are shuffled within groups of this many per split; 1 = in order");
    public static final Option REPLAY =
            text(
                    "replay",
                    "directory",
                    "",
                    "Read this data set instead of generating; one split a part");
    public static final Option OUT_OF_ORDERNESS_MS =
            number("out-of-orderness-ms", 0, "With `replay`: how late an event may be in its part");

    public static final Option KAFKA =
            text(
                    "kafka",
                    "host:port, ..",
                    "",
                    "Read what `drrs_jobs.kafka_replay` writes to this Kafka; with `events`, up to there");
    public static final Option KAFKA_TOPIC =
            text(
                    "kafka-topic",
                    "topic",
                    "nexmark",
                    "With `kafka`: its topic; also the consumer group");

    public static final Option PACED =
            flag("paced", true, "false = as fast as possible, whatever the schedule says");
    public static final Option EPOCH_MS =
            number(
                    "epoch-ms",
                    0,
                    "Wall clock at which the schedule starts at the earliest; 0 = when all splits are ready");
    public static final Option START_DELAY_MS =
            number(
                    "start-delay-ms",
                    0,
                    "Time from all splits ready to the schedule's start; lets what was preloaded arrive");
    public static final Option HOLD =
            flag(
                    "hold",
                    false,
                    "After the last event let all event time pass and stay until cancelled");
    public static final Option WATERMARK_INTERVAL_MS =
            number(
                    "watermark-interval-ms",
                    100,
                    "Least advance of event time between two watermarks of a split");
    public static final Option IDLE_SPLITS =
            numbers("idle-splits", "These splits have no events for a while and are marked idle");
    public static final Option IDLE_FROM_MS =
            number("idle-from-ms", 0, "Start of the idle time, from the schedule's start");
    public static final Option IDLE_TO_MS = number("idle-to-ms", 0, "End of the idle time");

    public static final Option PRELOAD_KEYS =
            number(
                    "preload-keys",
                    0,
                    "count, q17, states, synthetic: make state for this many keys first, unpaced, without output");
    public static final Option PRELOAD_FIRST_KEY =
            number("preload-first-key", 0, "First of these keys; each next is one more");
    public static final Option BALLAST_BYTES =
            number(
                    "ballast-bytes",
                    0,
                    "count, q17, states, synthetic: incompressible state of this size at every key, checked at each event");
    public static final Option BALLAST_SPREAD =
            flag(
                    "ballast-spread",
                    false,
                    "`ballast-bytes` is the mean, and sizes go from 1 to twice that, by key");

    public static final Option SECOND_SOURCE =
            flag(
                    "second-source",
                    false,
                    "A second source, of the next seed, behind an operator of its own, unioned with the first");
    public static final Option SECOND_LEAD_MS =
            number("second-lead-ms", 0, "How far the second source's event time is ahead");
    public static final Option SECOND_EVENTS =
            number(
                    "second-events",
                    0,
                    "The second source ends after this many events, whatever `hold` says; 0 = as the first");
    public static final Option ALIGNMENT_MS =
            number(
                    "alignment-ms",
                    0,
                    "Both sources wait for each other if event times differ by more; 0 = they do not");
    public static final Option OPENING_FILE =
            text(
                    "opening-file",
                    "path",
                    "",
                    "What waits for this file to be there is what the next four options say");
    public static final Option WAIT_FROM =
            number(
                    "wait-from",
                    0,
                    "Events from this number on come when `opening-file` is there; 0 = none waits for it");
    public static final Option BACKLOG =
            flag(
                    "backlog",
                    false,
                    "The source says that it works off a backlog until `opening-file` is there");
    public static final Option HURRY =
            flag(
                    "hurry",
                    false,
                    "Events come as fast as they can from when `opening-file` is there");
    public static final Option SERVE_UNTIL_OPEN =
            flag(
                    "serve-until-open",
                    false,
                    "The waits of `service-us` end when `opening-file` is there");

    public static final Option KEY =
            choice("key", "auction|bidder", "auction", "count, states: key of the bids");
    public static final Option KEYS =
            number("keys", 4096, "synthetic: how many keys there are, from 0 on");
    public static final Option ZIPF_PERCENT =
            number("zipf-percent", 0, "synthetic: exponent of the keys' Zipf skew, in hundredths");
    public static final Option TIMERS =
            flag(
                    "timers",
                    false,
                    "count: a timer of each kind per key and second; states always has them");
    public static final Option HOP_SIZE_MS =
            number("hop-size-ms", 10_000, "q5, drrs-q7, drrs-q8: window");
    public static final Option HOP_SLIDE_MS =
            number("hop-slide-ms", 2000, "q5, drrs-q7, drrs-q8: slide");
    public static final Option WINDOW_MS =
            number(
                    "window-ms",
                    10_000,
                    "q7, q8, q12: window, which starts where the last one ends");
    public static final Option SESSION_GAP_MS = number("session-gap-ms", 10_000, "q11: gap");
    public static final Option SERVICE_US =
            number("service-us", 0, "Wait per event in the keyed operator, without CPU");
    public static final Option SERVICE_HOT_KEY =
            number(
                    "service-hot-key",
                    0,
                    "Auction or bidder (whatever the query's key) with a wait of its own");
    public static final Option SERVICE_HOT_US =
            number("service-hot-us", 0, "The wait of that key; 0 = none of its own");

    public static final Option PARALLELISM = number("parallelism", 2, "Of the keyed operators");
    public static final Option SOURCE_PARALLELISM =
            number("source-parallelism", 1, "Of the source");
    public static final Option SINK_PARALLELISM =
            number(
                    "sink-parallelism",
                    1,
                    "Of the sink; equal to `parallelism` = chained to the last keyed operator");
    public static final Option RESCALE_EDGE =
            flag(
                    "rescale-edge",
                    false,
                    "The edge to the sink is Flink's rescale(): each subtask to some of the sink's only");
    public static final Option BEHIND =
            choice(
                    "behind",
                    "direct|forward|own-slots",
                    "direct",
                    "A task of its own behind each keyed operator, on a FORWARD edge; and in a slot-sharing group of its own");
    public static final Option MAX_PARALLELISM =
            number("max-parallelism", 128, "Number of key groups");
    public static final Option CHECKPOINT_INTERVAL_MS =
            number("checkpoint-interval-ms", 0, "0 = as the cluster's configuration says");
    public static final Option UNALIGNED = flag("unaligned", false, "Unaligned checkpoints");

    private Options() {}

    /** In the order of declaration. */
    public static List<Option> all() {
        return Option.declared();
    }

    /** A Markdown table of all options. */
    public static String table() {
        StringBuilder table =
                new StringBuilder("| option | values | default | meaning |\n|---|---|---|---|\n");
        for (Option option : all()) {
            table.append("| `--")
                    .append(option.name())
                    .append("` | ")
                    .append(option.values().replace("|", " \\| "))
                    .append(" | ")
                    .append(option.defaultValue())
                    .append(" | ")
                    .append(option.description())
                    .append(" |\n");
        }
        return table.toString();
    }

    /** Prints {@link #table}, to be put into the README. */
    public static void main(String[] args) {
        System.out.print(table());
    }
}
