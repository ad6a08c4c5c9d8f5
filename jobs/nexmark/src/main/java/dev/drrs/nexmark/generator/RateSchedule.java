package dev.drrs.nexmark.generator;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** Says when the event at an index is due. Monotonic; the same index always gives the same time. */
public abstract class RateSchedule implements Serializable {

    private static final int SINE_STEPS = 10;

    /** When the event at {@code index} is due, in ms after the start of the run. */
    public abstract long offsetMs(long index);

    /**
     * The same number of events each second; the gap is rounded to whole microseconds, as Beam
     * does.
     */
    public static RateSchedule constant(long eventsPerSecond) {
        return constant(eventsPerSecond, 1);
    }

    /** The share of one of {@code generators} generators that together reach the given rate. */
    public static RateSchedule constant(long eventsPerSecond, int generators) {
        checkRate(eventsPerSecond);
        return new Constant((1_000_000 + eventsPerSecond / 2) / eventsPerSecond * generators);
    }

    /** Half of each period at the one rate, half at the other. */
    public static RateSchedule square(long firstRate, long secondRate, long periodMs) {
        return new Steps(
                List.of(new Step(firstRate, periodMs / 2), new Step(secondRate, periodMs / 2)));
    }

    /** A cosine from the first rate to the second and back in each period, in ten steps. */
    public static RateSchedule sine(long firstRate, long secondRate, long periodMs) {
        double middle = (firstRate + secondRate) / 2.0;
        double swing = (firstRate - secondRate) / 2.0;
        List<Step> steps = new ArrayList<>();
        for (int step = 0; step < SINE_STEPS; step++) {
            long rate = Math.round(middle + swing * Math.cos(2 * Math.PI * step / SINE_STEPS));
            steps.add(new Step(rate, periodMs / SINE_STEPS));
        }
        return new Steps(steps);
    }

    /** Rates that follow each other, over and over. */
    public static RateSchedule steps(List<Step> steps) {
        return new Steps(steps);
    }

    /** {@code rate} events per second for {@code lengthMs} milliseconds. */
    public record Step(long rate, long lengthMs) implements Serializable {

        public Step {
            checkRate(rate);
            if (lengthMs < 1) {
                throw new IllegalArgumentException(
                        "A step of a rate takes at least 1 ms, not " + lengthMs);
            }
        }

        private long events() {
            return rate * lengthMs / 1000;
        }
    }

    private static void checkRate(long eventsPerSecond) {
        if (eventsPerSecond < 1 || eventsPerSecond > 1_000_000) {
            throw new IllegalArgumentException(
                    "A rate is 1 to 1000000 events per second, not " + eventsPerSecond);
        }
    }

    private static final class Constant extends RateSchedule {
        private final long gapMicros;

        private Constant(long gapMicros) {
            this.gapMicros = gapMicros;
        }

        @Override
        public long offsetMs(long index) {
            return index * gapMicros / 1000;
        }
    }

    private static final class Steps extends RateSchedule {
        private final Step[] steps;
        private final long perPeriod;
        private final long periodMs;

        private Steps(List<Step> steps) {
            this.steps = steps.toArray(Step[]::new);
            this.perPeriod = steps.stream().mapToLong(Step::events).sum();
            this.periodMs = steps.stream().mapToLong(Step::lengthMs).sum();
            if (perPeriod == 0) {
                throw new IllegalArgumentException("The period is too short for a single event");
            }
        }

        @Override
        public long offsetMs(long index) {
            long offset = index / perPeriod * periodMs;
            long left = index % perPeriod;
            int step = 0;
            while (left >= steps[step].events()) {
                left -= steps[step].events();
                offset += steps[step].lengthMs();
                step++;
            }
            return offset + left * 1000 / steps[step].rate();
        }
    }
}
