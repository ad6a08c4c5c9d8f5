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
        return new Steps(List.of(firstRate, secondRate), periodMs / 2);
    }

    /** A cosine from the first rate to the second and back in each period, in ten steps. */
    public static RateSchedule sine(long firstRate, long secondRate, long periodMs) {
        double middle = (firstRate + secondRate) / 2.0;
        double swing = (firstRate - secondRate) / 2.0;
        List<Long> rates = new ArrayList<>();
        for (int step = 0; step < SINE_STEPS; step++) {
            rates.add(Math.round(middle + swing * Math.cos(2 * Math.PI * step / SINE_STEPS)));
        }
        return new Steps(rates, periodMs / SINE_STEPS);
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

    /** Rates that follow each other, each held for the same time, over and over. */
    private static final class Steps extends RateSchedule {
        private final long[] rates;
        private final long[] counts;
        private final long stepMs;
        private final long perPeriod;

        private Steps(List<Long> rates, long stepMs) {
            this.rates = rates.stream().mapToLong(Long::longValue).toArray();
            this.counts = new long[this.rates.length];
            this.stepMs = stepMs;
            long sum = 0;
            for (int step = 0; step < counts.length; step++) {
                checkRate(this.rates[step]);
                counts[step] = this.rates[step] * stepMs / 1000;
                sum += counts[step];
            }
            if (sum == 0) {
                throw new IllegalArgumentException("The period is too short for a single event");
            }
            this.perPeriod = sum;
        }

        @Override
        public long offsetMs(long index) {
            long offset = index / perPeriod * stepMs * rates.length;
            long left = index % perPeriod;
            int step = 0;
            while (left >= counts[step]) {
                left -= counts[step];
                offset += stepMs;
                step++;
            }
            return offset + left * 1000 / rates[step];
        }
    }
}
