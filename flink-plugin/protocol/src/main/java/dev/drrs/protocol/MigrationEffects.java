package dev.drrs.protocol;

/**
 * What a {@link Migration} makes the coordinator do. None of these may call the migration back.
 *
 * <p>What goes to one receiver may wait for {@link #turnOver} and be sent as one message, in order;
 * {@link #dropAtOldOwner} may wait longer.
 */
public interface MigrationEffects {

    /** To the new owner: {@link SubtaskGate#register}. */
    void register(Subscale subscale);

    /** To the new owner: {@link SubtaskGate#aligned}. */
    void aligned(Subscale subscale, long consumerClock);

    /** To the old owner: {@link SubtaskGate#track}. */
    void track(Subscale subscale, long promised);

    /**
     * It waits for its turn, maybe anew after a pause: {@link #start} or {@link #untrack} ends
     * that.
     */
    default void ready(Subscale subscale) {}

    /** To the old owner: {@link SubtaskGate#untrack}; never overtakes {@link #track}. */
    void untrack(Subscale subscale);

    /** To the old owner: {@link SubtaskGate#start}. {@link #reroute} follows at once. */
    void start(Subscale subscale);

    /**
     * To all predecessors: in one action the new routing, a confirm barrier to the old owner and a
     * switch to the new one. Each of them does that in the order of the calls, those of other
     * migrations of the job among them.
     */
    void reroute(Subscale subscale);

    /** To the new owner: {@link SubtaskGate#fetchRest}; never overtakes {@link #register}. */
    void fetchRest(Subscale subscale);

    /** The key groups belong to the new owner from here on; {@link #dropAtOldOwner} follows. */
    void placementChanged(Subscale subscale);

    /**
     * To the old owner: {@link SubtaskGate#settledAtNewOwner}. It may wait until something else
     * goes to that owner, which it has to precede, or until a turn is over behind which nothing
     * waits.
     */
    void dropAtOldOwner(Subscale subscale);

    /** {@link Migration#onRound} after this time, unless key groups move no longer then. */
    void nextRound(long millis);

    /**
     * Nothing more follows from what the migration was called for: what waits has to be sent now.
     *
     * @param all whether that goes for each {@link #dropAtOldOwner}, too
     */
    default void turnOver(boolean all) {}

    /**
     * All subscales are closed, and nothing waits to be sent.
     *
     * @param aborted whether the old placement is restored
     */
    void finished(boolean aborted);
}
