package dev.drrs.protocol;

import java.util.Arrays;

/**
 * Event time of a subtask: its main clock, what the operator has been told of it, what the open
 * subscales' own clocks make due, and what goes downstream (rule R1). On the task's thread.
 */
final class GateClocks<E> {

    private final GateState<E> state;
    private final EventClock main;
    private final GateEffects<E> effects;
    private final Downstream downstream;

    /** The main clock when the operator was last told of event time. */
    private long advanced = Long.MIN_VALUE;

    /** Per input what the operator has been told. */
    private final long[] toldClock;

    private final boolean[] toldIdle;

    GateClocks(GateState<E> state) {
        this.state = state;
        main = state.main;
        effects = state.effects;
        downstream = new Downstream(effects);
        toldClock = new long[main.inputs()];
        Arrays.fill(toldClock, Long.MIN_VALUE);
        toldIdle = new boolean[main.inputs()];
    }

    Downstream downstream() {
        return downstream;
    }

    /** Milliseconds; the highest clock by which records of the channel may be judged. */
    long highest(int channel) {
        int input = main.inputOf(channel);
        long highest = main.highest(input);
        for (Incoming<E> in : state.incoming.values()) {
            highest = in.valve == null ? highest : Math.max(highest, in.valve.highest(input));
        }
        return highest;
    }

    /** The channel is one of those that hold event time, from the clock of its input on. */
    void opened(int channel) {
        requireNotBusy(channel);
        state.ended[channel] = false;
        main.add(channel, main.valve(main.inputOf(channel)).clock());
    }

    void closed(int channel) {
        requireNotBusy(channel);
        main.remove(channel);
        plainTime(channel);
    }

    private void requireNotBusy(int channel) {
        if (state.busy()) {
            throw state.unexpected("has channel " + channel + " change while a subscale is open");
        }
    }

    /** After a change of the main clock without a subscale: what stock Flink does. */
    void plainTime(int channel) {
        boolean more = tellOperator(channel);
        if (!state.awaitsSubscale) {
            downstream.plain(main.clock(), more, main.allIdle());
        }
    }

    /** An element of event time for the main clock while subscales are open. */
    void mainTime(int channel, int kind, long value) {
        feed(main, channel, kind, value);
        tellOperator(channel);
    }

    /** An element of event time for a subscale's own clock. */
    void subscaleTime(Incoming<E> in, int channel, int kind, long value) {
        feed(in.valve, channel, kind, value);
        long clock = in.valve.clock();
        // As in Flink a timer at or below the clock waits until the clock advances again.
        if (clock > in.fired) {
            in.fired = clock;
            if (in.anyInstalled()) {
                effects.fire(in.subscale.id(), clock);
            }
        }
        updateOutput(); // element by element: a status goes out before what follows it
    }

    /**
     * Hands over what has changed in the event time of the channel's input, in Flink's order.
     *
     * @return whether the main clock has advanced
     */
    boolean tellOperator(int channel) {
        int input = main.inputOf(channel);
        Valve valve = main.valve(input);
        boolean forwards = !state.keepsTime();
        boolean idle = valve.allIdle();
        if (toldIdle[input] && !idle) {
            toldIdle[input] = false;
            effects.inputStatus(input, false, forwards);
        }
        if (valve.clock() > toldClock[input]) {
            toldClock[input] = valve.clock();
            effects.inputWatermark(input, valve.clock(), forwards);
        }
        if (idle && !toldIdle[input]) {
            toldIdle[input] = true;
            effects.inputStatus(input, true, forwards);
        }
        boolean more = main.clock() > advanced;
        advanced = main.clock();
        return more;
    }

    /** Sends downstream what all clocks allow; nothing before the first subscale is registered. */
    void updateOutput() {
        if (state.awaitsSubscale) {
            return;
        }
        long bound = main.clock();
        boolean idle = main.allIdle();
        for (Incoming<E> in : state.incoming.values()) {
            bound = Math.min(bound, in.bound());
            idle &= in.quiet();
            in.wasIdle |= in.valve != null && in.valve.allIdle();
        }
        downstream.update(bound, idle);
    }

    private static void feed(EventClock valve, int channel, int kind, long value) {
        switch (kind) {
            case Waiting.WATERMARK -> valve.watermark(channel, value);
            case Waiting.STATUS -> valve.status(channel, value == 1);
            case Waiting.HOLD -> valve.hold(channel);
            default -> throw new IllegalArgumentException("no event time: " + kind);
        }
    }
}
