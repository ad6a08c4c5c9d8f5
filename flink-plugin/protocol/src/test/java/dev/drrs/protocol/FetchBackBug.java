package dev.drrs.protocol;

/**
 * What {@link FetchBackSimulation} leaves out of the exact form of fetching back: each breaks it.
 */
enum FetchBackBug {
    NONE,

    /** A bin that was fetched back goes by the old owner's own clock. */
    OLD_OWNERS_CLOCK,

    /** What the old owner says of event time goes by its own clock alone. */
    OLD_OWNER_UNBOUNDED,

    /**
     * As before, but the old owner takes a bin back only when that has come to what it has said.
     */
    WAITS_FOR_WHAT_IT_HAS_SAID,

    /** What the new owner says of event time does not wait for bins that are at the old owner. */
    NEW_OWNER_UNBOUNDED,

    /** The old owner takes a record at the last clock it was told, whatever has preceded it. */
    OLD_OWNER_AHEAD_OF_CLOCK,

    /** The old owner does not wait to be told: it counts what it reads itself into that clock. */
    OLD_OWNER_COUNTS_ITSELF,

    /** After the first confirm the old owner goes on at a clock from before it. */
    CLOCK_FROM_BEFORE,

    /** Only the first time that a bin leaves its results end and begin. */
    ONE_TURN_OF_RESULTS,

    /** Results in the chain stay there when a bin leaves. */
    NO_CHAIN_FLUSH,

    /** The new owner takes records of a predecessor before the confirm of that one. */
    NO_CONFIRM_WAIT,

    /** The new owner counts event time that it reads behind a switch before the confirm. */
    TIME_BEFORE_CONFIRM,

    /** A bin leaves without its timers. */
    TIMERS_STAY,

    /** What the old owner asks for overtakes the bin that is on its way. */
    FETCH_OVERTAKES
}
