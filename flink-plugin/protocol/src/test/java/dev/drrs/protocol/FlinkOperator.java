package dev.drrs.protocol;

import java.util.function.LongConsumer;

/**
 * What a stock Flink operator with several inputs makes of their event time, said in the plainest
 * way: it tells of each watermark and each change of status that it forwards.
 */
final class FlinkOperator {

    interface Output {
        void watermark(long timestamp);

        void status(boolean idle);
    }

    private final long[] watermark;
    private final boolean[] idle;
    private final Output output;
    private long combined = Long.MIN_VALUE;
    private boolean allIdle;

    FlinkOperator(int inputs, Output output) {
        watermark = new long[inputs];
        idle = new boolean[inputs];
        this.output = output;
        java.util.Arrays.fill(watermark, Long.MIN_VALUE);
    }

    void watermark(int input, long timestamp) {
        idle[input] = false;
        watermark[input] = Math.max(watermark[input], timestamp);
        combine(output::watermark);
    }

    void status(int input, boolean toIdle) {
        boolean before = allIdle;
        idle[input] = toIdle;
        combine(output::watermark);
        if (before != allIdle) {
            output.status(toIdle);
        }
    }

    long clock() {
        return combined;
    }

    boolean allIdle() {
        return allIdle;
    }

    private void combine(LongConsumer advanced) {
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        allIdle = true;
        for (int input = 0; input < watermark.length; input++) {
            highest = Math.max(highest, watermark[input]);
            if (!idle[input]) {
                allIdle = false;
                lowest = Math.min(lowest, watermark[input]);
            }
        }
        long now = allIdle ? highest : lowest;
        if (now > combined) {
            combined = now;
            advanced.accept(now);
        }
    }
}
