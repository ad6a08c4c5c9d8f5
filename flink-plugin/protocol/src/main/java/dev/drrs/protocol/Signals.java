package dev.drrs.protocol;

/**
 * Which signals begin a subscale, and at which of them its key groups leave the old owner. The
 * coordinator asks one in the JobMaster's main thread, the old owner's gate another one on the
 * task's thread; has no state.
 */
public interface Signals {

    /**
     * Coordinator: the subscale's turn has come. The old owner is told even where it goes by the
     * confirms alone: channels without a predecessor that would confirm are none to wait for.
     */
    default void begin(Subscale subscale, MigrationEffects effects) {
        effects.start(subscale);
        effects.reroute(subscale);
    }

    /**
     * Old owner: whether the key groups leave now. Asked when it is told to start, and at each
     * confirm, until they have left. As long as they have not, a channel that has confirmed is not
     * read on: nothing behind a confirm, event time least of all, is taken in before the detach.
     *
     * @param openChannels on which records of the key groups may still come: their producers have
     *     neither confirmed the subscale nor ended
     */
    boolean leaves(int openChannels);

    /** Old owner: how much of what comes after the key groups have left is sent on together. */
    default RerouteBatch batch() {
        return RerouteBatch.NONE;
    }
}
