package dev.drrs.protocol;

import java.util.Arrays;

/**
 * A task's event time over the channels of one input.
 *
 * <p>Each present channel has a watermark, a status (idle or active) and whether it <em>holds</em>
 * event time. The clock is the lowest watermark of the channels that hold it and never goes back:
 * an idle channel does not hold; one that returns behind the clock does not hold until it has
 * caught up; when the last active channel goes idle, and the clock stood for it, the clock goes to
 * the highest watermark. Without {@link #hold} and {@link #align} this is the behaviour of Flink's
 * valve; unlike that one it can be copied, sent to another task, and told that a channel holds.
 *
 * <p>Event time is in milliseconds, {@link Long#MIN_VALUE} before the first watermark. Not thread
 * safe. Calls for a channel that is not present throw {@link IllegalStateException}.
 */
public final class Valve extends EventClock {

    private static final byte PRESENT = 1;
    private static final byte IDLE = 2;
    private static final byte HOLDS = 4;
    private static final int HEADER = 2;
    private static final int PER_CHANNEL = 3;

    private final long[] watermarks;
    private final byte[] flags;

    /** Status elements seen per channel; only there so that a test can see one lost or doubled. */
    private final int[] statuses;

    private long clock = Long.MIN_VALUE;
    private int present;
    private int active;
    private int holding;

    /** Holding channels whose watermark is not above the clock: while there is one, it stands. */
    private int standing;

    /** All channels present, active, holding, at {@link Long#MIN_VALUE}. */
    public Valve(int channels) {
        watermarks = new long[channels];
        flags = new byte[channels];
        statuses = new int[channels];
        Arrays.fill(watermarks, Long.MIN_VALUE);
        Arrays.fill(flags, (byte) (PRESENT | HOLDS));
        present = channels;
        active = channels;
        holding = channels;
        standing = channels;
    }

    private Valve(long[] watermarks, byte[] flags, int[] statuses, long clock) {
        this.watermarks = watermarks;
        this.flags = flags;
        this.statuses = statuses;
        this.clock = clock;
        for (int c = 0; c < flags.length; c++) {
            present += is(c, PRESENT) ? 1 : 0;
            active += is(c, PRESENT) && !is(c, IDLE) ? 1 : 0;
            holding += is(c, HOLDS) ? 1 : 0;
        }
        countStanding();
    }

    @Override
    public int channels() {
        return flags.length;
    }

    @Override
    public int inputs() {
        return 1;
    }

    @Override
    public int inputOf(int channel) {
        return 0;
    }

    @Override
    public Valve valve(int input) {
        return this;
    }

    @Override
    public boolean present(int channel) {
        return is(channel, PRESENT);
    }

    @Override
    public boolean holds(int channel) {
        return is(channel, HOLDS);
    }

    @Override
    public boolean idle(int channel) {
        return is(channel, IDLE);
    }

    @Override
    public long clock() {
        return clock;
    }

    @Override
    public boolean allIdle() {
        return active == 0 && present > 0;
    }

    @Override
    public void add(int channel, long watermark) {
        if (present(channel)) {
            throw new IllegalStateException("channel " + channel + " is added twice");
        }
        flags[channel] = PRESENT | HOLDS;
        watermarks[channel] = watermark;
        statuses[channel] = 0;
        present++;
        active++;
        holding++;
        standing += watermark <= clock ? 1 : 0;
    }

    @Override
    public void adopt(int channel, EventClock from) {
        if (present(channel)) {
            throw new IllegalStateException("channel " + channel + " is added twice");
        }
        Valve other = (Valve) from;
        watermarks[channel] = other.watermarks[channel];
        flags[channel] = other.flags[channel];
        statuses[channel] = other.statuses[channel];
        present++;
        active += is(channel, IDLE) ? 0 : 1;
        holding += is(channel, HOLDS) ? 1 : 0;
        standing += is(channel, HOLDS) && watermarks[channel] <= clock ? 1 : 0;
        advance();
    }

    @Override
    public void remove(int channel) {
        status(channel, true);
        flags[channel] = 0;
        watermarks[channel] = Long.MIN_VALUE;
        present--;
    }

    @Override
    public void watermark(int channel, long timestamp) {
        requirePresent(channel);
        long before = watermarks[channel];
        if (is(channel, IDLE) || timestamp <= before) {
            return;
        }
        watermarks[channel] = timestamp;
        if (is(channel, HOLDS)) {
            standing -= before <= clock && timestamp > clock ? 1 : 0;
        } else if (timestamp >= clock) {
            setHolding(channel);
        }
        advance();
    }

    @Override
    public void status(int channel, boolean idle) {
        requirePresent(channel);
        statuses[channel]++;
        if (idle == is(channel, IDLE)) {
            return;
        }
        if (!idle) {
            flags[channel] &= ~IDLE;
            active++;
            if (watermarks[channel] >= clock) {
                setHolding(channel);
            }
            return;
        }
        flags[channel] |= IDLE;
        active--;
        if (!is(channel, HOLDS)) {
            return;
        }
        flags[channel] &= ~HOLDS;
        holding--;
        if (watermarks[channel] > clock) {
            return; // as in Flink: it was not this channel the clock stood for
        }
        standing--;
        if (active > 0) {
            advance();
        } else if (present > 1) {
            for (int c = 0; c < flags.length; c++) {
                clock = is(c, PRESENT) ? Math.max(clock, watermarks[c]) : clock;
            }
        }
    }

    @Override
    public void hold(int channel) {
        requirePresent(channel);
        if (is(channel, IDLE)) {
            throw new IllegalStateException("idle channel " + channel + " is told to hold");
        }
        if (!is(channel, HOLDS)) {
            setHolding(channel);
        }
    }

    @Override
    public void align(int channel) {
        requirePresent(channel);
        if (is(channel, IDLE)) {
            flags[channel] &= ~IDLE;
            active++;
        }
        hold(channel);
        if (watermarks[channel] < clock) {
            watermarks[channel] = clock; // still not above the clock, so `standing` stays
        }
    }

    @Override
    public Valve copy() {
        return new Valve(watermarks.clone(), flags.clone(), statuses.clone(), clock);
    }

    @Override
    public long[] toLongs() {
        long[] out = new long[HEADER + PER_CHANNEL * flags.length];
        out[0] = clock;
        out[1] = flags.length;
        for (int c = 0, i = HEADER; c < flags.length; c++, i += PER_CHANNEL) {
            out[i] = watermarks[c];
            out[i + 1] = flags[c];
            out[i + 2] = statuses[c];
        }
        return out;
    }

    /**
     * @throws IllegalArgumentException if the numbers are not those of {@link #toLongs}
     */
    public static Valve fromLongs(long[] longs) {
        int n = longs.length < HEADER ? -1 : (int) longs[1];
        if (n < 0 || longs.length != HEADER + PER_CHANNEL * n) {
            throw new IllegalArgumentException("not a valve: " + longs.length + " numbers");
        }
        long[] watermarks = new long[n];
        byte[] flags = new byte[n];
        int[] statuses = new int[n];
        for (int c = 0, i = HEADER; c < n; c++, i += PER_CHANNEL) {
            watermarks[c] = longs[i];
            flags[c] = (byte) longs[i + 1];
            statuses[c] = (int) longs[i + 2];
        }
        return new Valve(watermarks, flags, statuses, longs[0]);
    }

    @Override
    long watermark(int channel) {
        return watermarks[channel];
    }

    @Override
    int statuses(int channel) {
        return statuses[channel];
    }

    private boolean is(int channel, byte flag) {
        return (flags[channel] & flag) != 0;
    }

    private void requirePresent(int channel) {
        if (!is(channel, PRESENT)) {
            throw new IllegalStateException("channel " + channel + " is not present");
        }
    }

    private void setHolding(int channel) {
        flags[channel] |= HOLDS;
        holding++;
        standing += watermarks[channel] <= clock ? 1 : 0;
    }

    private void advance() {
        if (standing > 0 || holding == 0) {
            return;
        }
        long lowest = Long.MAX_VALUE;
        for (int c = 0; c < flags.length; c++) {
            if (is(c, HOLDS)) {
                lowest = Math.min(lowest, watermarks[c]);
            }
        }
        clock = lowest;
        countStanding();
    }

    private void countStanding() {
        standing = 0;
        for (int c = 0; c < flags.length; c++) {
            standing += is(c, HOLDS) && watermarks[c] <= clock ? 1 : 0;
        }
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder("clock ").append(clock);
        for (int c = 0; c < flags.length; c++) {
            if (present(c)) {
                out.append(", ").append(c).append(':').append(watermarks[c]);
                out.append(is(c, IDLE) ? "i" : "").append(is(c, HOLDS) ? "h" : "");
            }
        }
        return out.toString();
    }
}
