package dev.drrs.protocol;

/**
 * How the state of a part goes from its old to its new owner once it is asked for. All else that
 * two owners tell each other goes over the peer exchange.
 */
public enum Transport {
    /** In chunks over the peer exchange, beside its elements. */
    EXCHANGE,

    /**
     * As a file of shared storage ({@link StoredPart}): the old owner writes it and says on the
     * exchange that it is there, the new owner reads and removes it.
     */
    STORAGE
}
