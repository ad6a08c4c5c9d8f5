package dev.drrs.protocol;

/** What a subtask tells the coordinator about a subscale. */
public sealed interface GateReport {

    int subscale();

    /**
     * New owner: registered.
     *
     * @param promised milliseconds; the consumers take for granted that nothing up to here follows.
     *     The old owner is told by {@link SubtaskGate#track}.
     */
    record Promised(int subscale, long promised) implements GateReport {}

    /** Old owner: it has reached what the new owner has promised; the subscale may start. */
    record Ready(int subscale) implements GateReport {}

    /**
     * New owner, if copies go ahead: the state of all its key groups is in place, and it has not
     * settled yet. The two owners may take part in another one.
     */
    record Installed(int subscale) implements GateReport {}

    /** New owner: nothing comes from the old owner any more. */
    record Settled(int subscale, Counters counters) implements GateReport {}

    /** New owner: the key groups run on the main clock; they may move again. */
    record Joined(int subscale) implements GateReport {}

    /** New owner: dropped before it started. */
    record Cancelled(int subscale) implements GateReport {}

    /**
     * Of one subscale, from registration on.
     *
     * @param rerouted records that came through the old owner
     * @param setAside records that could not be processed when they came
     * @param mostWaiting the most elements that waited at a time, re-routed ones included
     * @param demanded key groups, or bins of them, that were asked for because a record or a timer
     *     needed them at once: {@link PullOrder#demanded}
     * @param bins in which key groups came; those that came as a whole do not count
     */
    record Counters(long rerouted, long setAside, long mostWaiting, long demanded, long bins) {

        static final Counters NONE = new Counters(0, 0, 0, 0, 0);
    }
}
