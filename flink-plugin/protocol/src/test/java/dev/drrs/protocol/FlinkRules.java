package dev.drrs.protocol;

import java.util.ArrayList;
import java.util.List;

/** What stock Flink hands to a one-input operator, said in the plainest way. */
final class FlinkRules {

    private final long[] watermark;
    private final boolean[] idle;
    private final boolean[] aligned;
    private long last = Long.MIN_VALUE;
    final List<String> output = new ArrayList<>();

    FlinkRules(int channels) {
        watermark = new long[channels];
        idle = new boolean[channels];
        aligned = new boolean[channels];
        java.util.Arrays.fill(watermark, Long.MIN_VALUE);
        java.util.Arrays.fill(aligned, true);
    }

    void watermark(int c, long ts) {
        if (idle[c] || ts <= watermark[c]) {
            return;
        }
        watermark[c] = ts;
        aligned[c] |= ts >= last;
        lowestAligned();
    }

    void status(int c, boolean toIdle) {
        if (idle[c] == toIdle) {
            return;
        }
        boolean wasIdle = allIdle();
        idle[c] = toIdle;
        if (!toIdle) {
            aligned[c] = watermark[c] >= last;
            if (wasIdle) {
                output.add("active");
            }
            return;
        }
        aligned[c] = false;
        if (watermark[c] == last) {
            if (allIdle()) {
                long highest = Long.MIN_VALUE;
                for (long one : watermark) {
                    highest = Math.max(highest, one);
                }
                emit(highest);
            } else {
                lowestAligned();
            }
        }
        if (allIdle()) {
            output.add("idle");
        }
    }

    private boolean allIdle() {
        for (boolean one : idle) {
            if (!one) {
                return false;
            }
        }
        return true;
    }

    private void lowestAligned() {
        long lowest = Long.MAX_VALUE;
        boolean any = false;
        for (int c = 0; c < watermark.length; c++) {
            if (aligned[c]) {
                any = true;
                lowest = Math.min(lowest, watermark[c]);
            }
        }
        if (any) {
            emit(lowest);
        }
    }

    private void emit(long ts) {
        if (ts > last) {
            last = ts;
            output.add("plain " + ts);
        }
    }
}
