package dev.drrs.nexmark.query;

import dev.drrs.nexmark.generator.Event;
import dev.drrs.nexmark.generator.SplitMix64;
import dev.drrs.nexmark.source.ScheduledEvent;
import java.util.Arrays;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * Draws a key for an event from its number: of n keys, from 0 on, each as often as its rank to the
 * power of minus the exponent says. The same number always has the same key. A preload event brings
 * its own key. One instance per subtask.
 */
final class ZipfKeys implements KeySelector<ScheduledEvent, Long> {

    private static final int UNUSED_BITS = Long.SIZE - 53;
    private static final double UNIT = 0x1.0p-53;

    private final int keys;
    private final double exponent;

    /** Sums of the weights up to each key; made at the first use. */
    private transient double[] sums;

    ZipfKeys(int keys, double exponent) {
        this.keys = keys;
        this.exponent = exponent;
    }

    @Override
    public Long getKey(ScheduledEvent event) {
        return event.event() instanceof Event.Preload preload
                ? preload.key()
                : of(event.event().number());
    }

    long of(long number) {
        if (sums == null) {
            sums = sums();
        }
        double drawn = (SplitMix64.mix(number) >>> UNUSED_BITS) * UNIT * sums[keys - 1];
        int found = Arrays.binarySearch(sums, drawn);
        return Math.min(found < 0 ? -found - 1 : found + 1, keys - 1);
    }

    private double[] sums() {
        double[] found = new double[keys];
        double sum = 0;
        for (int rank = 1; rank <= keys; rank++) {
            sum += Math.pow(rank, -exponent);
            found[rank - 1] = sum;
        }
        return found;
    }
}
