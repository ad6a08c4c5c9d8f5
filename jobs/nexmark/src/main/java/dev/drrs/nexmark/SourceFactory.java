package dev.drrs.nexmark;

import dev.drrs.nexmark.generator.Mode;
import dev.drrs.nexmark.generator.RateSchedule;
import dev.drrs.nexmark.generator.Workload;
import dev.drrs.nexmark.generator.Workload.Layout;
import dev.drrs.nexmark.options.Arguments;
import dev.drrs.nexmark.options.Options;
import dev.drrs.nexmark.source.NexmarkSource;
import dev.drrs.nexmark.source.Opening;
import dev.drrs.nexmark.source.Pacing;
import dev.drrs.nexmark.source.PreloadRange;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/** Makes the source that a command line asks for. */
final class SourceFactory {

    private SourceFactory() {}

    static NexmarkSource create(Arguments arguments) throws IOException {
        Pacing pacing = pacing(arguments, arguments.flag(Options.HOLD));
        PreloadRange preload =
                new PreloadRange(
                        arguments.number(Options.PRELOAD_FIRST_KEY),
                        arguments.number(Options.PRELOAD_KEYS));
        String replay = arguments.text(Options.REPLAY);
        return replay.isEmpty()
                ? NexmarkSource.generating(workload(arguments), pacing, preload)
                : NexmarkSource.replaying(
                        replay,
                        Workload.NEXMARK_BASE_TIME_MS,
                        arguments.number(Options.OUT_OF_ORDERNESS_MS),
                        arguments.number(Options.EVENTS),
                        pacing,
                        preload);
    }

    /** The source of {@link Options#SECOND_SOURCE}: no preload events, no idle splits. */
    static NexmarkSource createSecond(Arguments arguments) {
        long few = arguments.number(Options.SECOND_EVENTS);
        Workload first = workload(arguments);
        Workload workload =
                new Workload(
                        first.mode(),
                        first.seed() + 1,
                        first.startNumber(),
                        few > 0 ? few : first.events(),
                        first.layout(),
                        first.splits(),
                        first.schedule(),
                        first.baseTimeMs() + arguments.number(Options.SECOND_LEAD_MS),
                        first.disorderGroup());
        Pacing pacing = pacing(arguments, arguments.flag(Options.HOLD) && few == 0);
        return NexmarkSource.generating(workload, pacing.neverIdle(), PreloadRange.NONE);
    }

    private static Pacing pacing(Arguments arguments, boolean hold) {
        return new Pacing(
                arguments.flag(Options.PACED),
                arguments.number(Options.EPOCH_MS),
                arguments.number(Options.START_DELAY_MS),
                hold,
                arguments.number(Options.WATERMARK_INTERVAL_MS),
                Set.copyOf(arguments.numbers(Options.IDLE_SPLITS)),
                arguments.number(Options.IDLE_FROM_MS),
                arguments.number(Options.IDLE_TO_MS),
                new Opening(
                        arguments.text(Options.OPENING_FILE),
                        arguments.number(Options.WAIT_FROM),
                        arguments.flag(Options.BACKLOG),
                        arguments.flag(Options.HURRY)));
    }

    static Workload workload(Arguments arguments) {
        int splits = arguments.integer(Options.SPLITS);
        if (splits == 0) {
            splits = arguments.integer(Options.SOURCE_PARALLELISM);
        }
        Layout layout = Layout.valueOf(arguments.text(Options.LAYOUT).toUpperCase(Locale.ROOT));
        return new Workload(
                Mode.valueOf(arguments.text(Options.MODE).toUpperCase(Locale.ROOT)),
                arguments.number(Options.SEED),
                arguments.number(Options.START_NUMBER),
                arguments.number(Options.EVENTS),
                layout,
                splits,
                schedule(arguments, layout == Layout.GENERATORS ? splits : 1),
                Workload.NEXMARK_BASE_TIME_MS,
                arguments.integer(Options.DISORDER_GROUP));
    }

    private static RateSchedule schedule(Arguments arguments, int generators) {
        long rate = arguments.number(Options.RATE);
        long otherRate = arguments.number(Options.RATE_2);
        long periodMs = arguments.number(Options.RATE_PERIOD_MS);
        return switch (arguments.text(Options.RATE_SHAPE)) {
            case "square" -> RateSchedule.square(rate, otherRate, periodMs);
            case "sine" -> RateSchedule.sine(rate, otherRate, periodMs);
            case "steps" -> RateSchedule.steps(steps(arguments.numbers(Options.RATE_STEPS)));
            default -> RateSchedule.constant(rate, generators);
        };
    }

    private static List<RateSchedule.Step> steps(List<Integer> pairs) {
        return IntStream.range(0, pairs.size() / 2)
                .mapToObj(
                        pair -> new RateSchedule.Step(pairs.get(2 * pair), pairs.get(2 * pair + 1)))
                .toList();
    }
}
