package dev.drrs.protocol;

import java.util.Arrays;

/**
 * A task's event time over several inputs: a {@link Valve} for each, and over them the clock of the
 * operator.
 *
 * <p>That clock is the lowest of the inputs that are not idle, the highest of all if every input
 * is, and never goes back: without {@link #hold} and {@link #align} what Flink's operators do. An
 * input that returns behind the clock stops it until it has caught up, so that here, unlike with
 * the channels of one input, there is nothing to be told to hold.
 */
public final class CombinedValve extends EventClock {

    private static final int HEADER = 2;

    private final Valve[] valves;
    private final int[] inputOf;
    private final int[] firstOf;
    private long clock;

    /**
     * All channels present, active, holding, at {@link Long#MIN_VALUE}.
     *
     * @param channels how many each input has; those of the first are counted first
     * @throws IllegalArgumentException if there are less than two inputs
     */
    public CombinedValve(int... channels) {
        this(Arrays.stream(channels).mapToObj(Valve::new).toArray(Valve[]::new), Long.MIN_VALUE);
    }

    private CombinedValve(Valve[] valves, long clock) {
        if (valves.length < 2) {
            throw new IllegalArgumentException("nothing to combine: " + valves.length + " inputs");
        }
        this.valves = valves;
        this.clock = clock;
        firstOf = new int[valves.length];
        inputOf = new int[Arrays.stream(valves).mapToInt(Valve::channels).sum()];
        int channel = 0;
        for (int input = 0; input < valves.length; input++) {
            firstOf[input] = channel;
            int next = channel + valves[input].channels();
            Arrays.fill(inputOf, channel, next, input);
            channel = next;
        }
    }

    @Override
    public int channels() {
        return inputOf.length;
    }

    @Override
    public int inputs() {
        return valves.length;
    }

    @Override
    public int inputOf(int channel) {
        return inputOf[channel];
    }

    @Override
    public Valve valve(int input) {
        return valves[input];
    }

    @Override
    public boolean present(int channel) {
        return of(channel).present(within(channel));
    }

    @Override
    public boolean holds(int channel) {
        return of(channel).holds(within(channel));
    }

    @Override
    public boolean idle(int channel) {
        return of(channel).idle(within(channel));
    }

    @Override
    public long clock() {
        return clock;
    }

    @Override
    public boolean allIdle() {
        for (Valve valve : valves) {
            if (!valve.allIdle()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void add(int channel, long watermark) {
        of(channel).add(within(channel), watermark);
    }

    @Override
    public void adopt(int channel, EventClock from) {
        of(channel).adopt(within(channel), from.valve(inputOf[channel]));
        advance();
    }

    @Override
    public void remove(int channel) {
        of(channel).remove(within(channel));
        advance();
    }

    @Override
    public void watermark(int channel, long timestamp) {
        of(channel).watermark(within(channel), timestamp);
        advance();
    }

    @Override
    public void status(int channel, boolean idle) {
        of(channel).status(within(channel), idle);
        advance();
    }

    @Override
    public void hold(int channel) {
        of(channel).hold(within(channel));
    }

    @Override
    public void align(int channel) {
        of(channel).align(within(channel));
    }

    @Override
    public CombinedValve copy() {
        return new CombinedValve(
                Arrays.stream(valves).map(Valve::copy).toArray(Valve[]::new), clock);
    }

    /** The clock, the number of inputs below zero, and for each how many numbers, and these. */
    @Override
    public long[] toLongs() {
        long[][] parts = Arrays.stream(valves).map(Valve::toLongs).toArray(long[][]::new);
        long[] out = new long[HEADER + Arrays.stream(parts).mapToInt(p -> 1 + p.length).sum()];
        out[0] = clock;
        out[1] = -valves.length;
        int next = HEADER;
        for (long[] part : parts) {
            out[next] = part.length;
            System.arraycopy(part, 0, out, next + 1, part.length);
            next += 1 + part.length;
        }
        return out;
    }

    /** Whether these are the numbers of a combined valve and not of a single one. */
    static boolean isIn(long[] longs) {
        return longs.length >= HEADER && longs[1] < 0;
    }

    /**
     * @throws IllegalArgumentException if the numbers are not those of {@link #toLongs}
     */
    public static CombinedValve fromLongs(long[] longs) {
        if (!isIn(longs) || -longs[1] > longs.length) {
            throw new IllegalArgumentException(
                    "not a combined valve: " + longs.length + " numbers");
        }
        Valve[] valves = new Valve[(int) -longs[1]];
        int next = HEADER;
        for (int input = 0; input < valves.length; input++) {
            long length = next < longs.length ? longs[next] : -1;
            if (length < 0 || length > longs.length - next - 1) {
                throw new IllegalArgumentException("input " + input + " is cut off");
            }
            int end = next + 1 + (int) length;
            valves[input] = Valve.fromLongs(Arrays.copyOfRange(longs, next + 1, end));
            next = end;
        }
        if (next != longs.length) {
            throw new IllegalArgumentException(
                    "numbers behind the last input: " + (longs.length - next));
        }
        return new CombinedValve(valves, longs[0]);
    }

    @Override
    long watermark(int channel) {
        return of(channel).watermark(within(channel));
    }

    @Override
    int statuses(int channel) {
        return of(channel).statuses(within(channel));
    }

    private Valve of(int channel) {
        return valves[inputOf[channel]];
    }

    private int within(int channel) {
        return channel - firstOf[inputOf[channel]];
    }

    private void advance() {
        long lowestActive = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        boolean active = false;
        for (Valve valve : valves) {
            highest = Math.max(highest, valve.clock());
            if (!valve.allIdle()) {
                active = true;
                lowestActive = Math.min(lowestActive, valve.clock());
            }
        }
        clock = Math.max(clock, active ? lowestActive : highest);
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder("clock ").append(clock);
        for (int input = 0; input < valves.length; input++) {
            out.append("; input ").append(input).append(": ").append(valves[input]);
        }
        return out.toString();
    }
}
