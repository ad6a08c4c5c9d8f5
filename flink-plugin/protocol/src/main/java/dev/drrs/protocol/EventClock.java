package dev.drrs.protocol;

/**
 * A task's event time over all its channels, counted through over its inputs: a {@link Valve} if it
 * has one input, a {@link CombinedValve} if it has more.
 *
 * <p>Event time is in milliseconds, {@link Long#MIN_VALUE} before the first watermark; a clock
 * never goes back. Not thread safe. Calls that change a channel that is not present throw {@link
 * IllegalStateException}.
 */
public abstract sealed class EventClock permits Valve, CombinedValve {

    public abstract int channels();

    public abstract int inputs();

    /** The input a channel belongs to. */
    public abstract int inputOf(int channel);

    /** Event time of one input; its channels are counted from 0. Not to be changed. */
    public abstract Valve valve(int input);

    public abstract boolean present(int channel);

    /** Whether the channel is one of those whose lowest watermark is the clock of its input. */
    public abstract boolean holds(int channel);

    public abstract boolean idle(int channel);

    /** What records are judged by and timers fire by. */
    public abstract long clock();

    /** Whether there are channels and none of them is active. */
    public abstract boolean allIdle();

    /** A channel that was absent is present from here on, active and holding, at this watermark. */
    public abstract void add(int channel, long watermark);

    /**
     * A channel that was absent is present from here on, in the condition that it has in another
     * clock of the same inputs.
     */
    public abstract void adopt(int channel, EventClock from);

    /** The channel goes idle and is gone. */
    public abstract void remove(int channel);

    /** A watermark from the channel; ignored if the channel is idle or has been further. */
    public abstract void watermark(int channel, long timestamp);

    /** The channel's status; ignored if it is no change. */
    public abstract void status(int channel, boolean idle);

    /** The active channel holds event time from here on, even if it is behind the clock. */
    public abstract void hold(int channel);

    /**
     * The channel is active and holds event time from here on, from the present clock of its input
     * at least.
     */
    public abstract void align(int channel);

    public abstract EventClock copy();

    /** All of it as numbers, for {@link #fromLongs}. */
    public abstract long[] toLongs();

    /**
     * @throws IllegalArgumentException if the numbers are not those of {@link #toLongs}
     */
    public static EventClock fromLongs(long[] longs) {
        return CombinedValve.isIn(longs) ? CombinedValve.fromLongs(longs) : Valve.fromLongs(longs);
    }

    /** What an element of the input may be judged by, now or before its channel has spoken. */
    final long highest(int input) {
        return Math.max(clock(), valve(input).clock());
    }

    /** Whether both have the same clocks: for the task and for each input. */
    final boolean agreesWith(EventClock other) {
        for (int input = 0; input < inputs(); input++) {
            if (valve(input).clock() != other.valve(input).clock()) {
                return false;
            }
        }
        return clock() == other.clock();
    }

    /** The last watermark of the channel that counted, in milliseconds. */
    abstract long watermark(int channel);

    /** Status elements seen; for tests. */
    abstract int statuses(int channel);
}
