package dev.drrs.protocol;

/** What a {@link Migration} makes the coordinator do. None of these may call the migration back. */
public interface MigrationEffects {

    /** To the new owner: {@link SubtaskGate#register}. */
    void register(Subscale subscale);

    /** To the new owner: {@link SubtaskGate#aligned}. */
    void aligned(Subscale subscale, long consumerClock);

    /** To the old owner: {@link SubtaskGate#track}. */
    void track(Subscale subscale, long promised);

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

    /** The key groups belong to the new owner from here on; {@link #dropAtOldOwner} follows. */
    void placementChanged(Subscale subscale);

    /** To the old owner: {@link SubtaskGate#settledAtNewOwner}. */
    void dropAtOldOwner(Subscale subscale);

    /**
     * All subscales are closed.
     *
     * @param aborted whether the old placement is restored
     */
    void finished(boolean aborted);
}
