package dev.drrs.protocol;

/** Deliberate bugs around (and a few in) the protocol; the simulation has to catch each of them. */
enum Mutation {
    /** The new owner takes every channel for confirmed as soon as the key groups are detached. */
    NO_CONFIRM_WAIT,
    /** The emitted watermark ignores the clocks of registered subscales. */
    NO_EMIT_BOUND,
    /**
     * The emitted watermark follows a subscale's clock while key groups of it are still missing.
     */
    NO_BOUND_FOR_MISSING,
    /** The old owner detaches although it is behind what the new owner has promised downstream. */
    DETACH_EARLY,
    /** Moved key groups run on the new owner's main clock. */
    MAIN_CLOCK,
    /** The old owner forwards records but no watermarks and statuses. */
    NO_FORWARD_TIME,
    /** A predecessor sends the confirm before the last record it has routed the old way. */
    CONFIRM_FIRST,
    /** One re-routed record is lost. */
    DROP_REROUTED,
    /** An element overtakes another one on the peer exchange. */
    PEER_OVERTAKES,
    /** The new owner is told that a key group is installed before its state is there. */
    INSTALLED_TOO_SOON,
    /**
     * Timers that were due before their key group was installed do not fire at the installation.
     */
    NO_FIRE_AT_INSTALL,
    /** Timers do not move. */
    NO_TIMERS,
    /** A new channel at a consumer does not hold event time until it has spoken. */
    CONSUMER_UNALIGNED,
    /** A settled subscale joins at once. */
    EARLY_JOIN,
    /** A settled subscale joins a main clock that is ahead of it. */
    JOIN_AHEAD,
    /** A settled subscale joins although the clock of one input differs. */
    JOIN_BY_OPERATOR_CLOCK,
    /** Channels that hold one of main clock and settled subscale do not hold the other. */
    NO_UNION,
    /** New owners are not told that a channel holds the old owner's clock again. */
    UNION_UNTOLD,
    /** Watermarks and statuses from before the re-routing count a second time. */
    NO_SWITCH,
    /** The subscale's clock starts without the old owner's clock, statuses and alignment. */
    FRESH_VALVE,
    /** A new owner that was idle is not aligned at the consumers. */
    NO_REALIGN,
    /** A key group moves on before it has joined. */
    MOVE_BEFORE_JOIN,
    /** A subtask whose outgoing exchange is full does not read its incoming ones. */
    PEER_BLOCKS,
    /** A channel that is held stops all channels of the subtask. */
    BLOCK_ALL,
    /** Nobody says that the exchange has room again. */
    NO_ROOM_NOTICE,
    /** A checkpoint starts while a subscale runs. */
    CHECKPOINT_IN_SUBSCALE,
    /** A subscale starts while a checkpoint is pending. */
    START_IN_CHECKPOINT,
    /** A checkpoint stores the placement its plan leads to. */
    PLACEMENT_LATE,
    /** A subtask retires when its last subscale has started. */
    RETIRE_EARLY,
    /** A timer that was at or below the clock when its key group left fires at the installation. */
    FIRE_AT_INSTALL,
    /**
     * A consumer reads on in the new owner's channel although results of the old one may follow.
     */
    NO_BEGIN_WAIT,
    /** The old owner says that its results are out while some are still in its chain. */
    NO_CHAIN_FLUSH,
    /** The new owner says that its results begin only when the subscale has settled. */
    BEGIN_LATE,
    /** A checkpoint that overtakes elements starts before consumers have taken all results. */
    SETTLED_IS_ENOUGH,
    /** What an old owner has not read of a producer that ended is forgotten. */
    END_WITHOUT_CONFIRM,
    /** When all inputs end the rescale is over before consumers have taken all results. */
    OVER_BEFORE_PASSED,
    /** A producer ends while a subscale is under way. */
    END_IN_SUBSCALE,
    /** A fresh subtask tells consumers of event time before it is registered for a subscale. */
    TIME_BEFORE_REGISTRATION,
    /** A fresh subtask that gets no subscale is not told that none comes. */
    TIME_KEPT_FOR_EVER,
    /** A start for a subscale that the confirms have begun, or finished, detaches again. */
    STALE_START,
    /** What has changed between copy and detach stays as it was copied. */
    CHANGE_SINCE_COPY_LOST,
    /** What has been removed between copy and detach comes back. */
    REMOVAL_SINCE_COPY_LOST,
    /** A copy is put over what has changed since. */
    COPY_OVER_DIFFERENCE,
    /** A copy outlives its subscale, and what comes later of the key group is put over it. */
    COPY_KEPT,
    /** Once a copy has been sent nobody notes any more what changes. */
    COPY_RELEASED_WHEN_SENT,
    /** A subscale is ready before its copy has been sent. */
    COPIED_TOO_SOON,
    /** The old owner says that a subscale is cancelled and goes on sending its copy. */
    CANCELLED_WHILE_COPYING,
    /** A new owner has what was copied ahead in a checkpoint. */
    COPY_IN_CHECKPOINT,
    /** Key groups leave at the first confirm although the barrier is to be aligned. */
    LEAVES_AT_FIRST_CONFIRM,
    /** A channel that has confirmed is read on before the key groups have left. */
    READ_BEHIND_CONFIRM,
    /** A confirm is passed on before the key groups have left. */
    CONFIRM_BEFORE_DETACH,
    /** Channels that were held are never read again. */
    HELD_FOR_EVER,
    /** Predecessors send the signals of several subscales in different orders. */
    SIGNALS_IN_ANY_ORDER,
    /** Records of other channels overtake one that waits. */
    OVERTAKES,
    /** Subscales start when they are ready, as many as there are. */
    STARTS_AS_DRRS,
    /** The second round of a start rule with rounds is the last. */
    ROUNDS_END,
    /** A confirm goes before records that wait to be sent on together. */
    CONFIRM_BEFORE_BATCH,
    /** Event time goes before records that wait to be sent on together. */
    TIME_BEFORE_BATCH,
    /** The last of what was sent on together is lost. */
    BATCH_LOST,
    /** What was sent on together comes in the wrong order. */
    BATCH_REVERSED,
    /** A subtask reads on however much it has set aside. */
    NEVER_STANDS,
    /** A step begins when a part of the one in front of it has settled. */
    STEP_TOO_SOON,
    /** Each subscale of a step starts when it is ready, before the others are. */
    STEP_IN_PIECES,
    /** What a record at hand needs comes when it is its turn. */
    DEMAND_UNHEARD,
    /** What a record at hand needs is asked for when what was asked for before has come. */
    DEMAND_WAITS_FOR_WINDOW,
    /** All that is missing is asked for at once, so a demand waits behind all of it. */
    BACKGROUND_FIRST,
    /** A record is processed as soon as another bin of its key group is there. */
    BIN_OF_ANOTHER_KEY,
    /** The old owner sends a key group whole for each of its bins. */
    BIN_IS_THE_WHOLE,
    /** A bin that arrives takes the place of those that were there. */
    BIN_IN_PLACE_OF_OTHERS,
    /** Timers that were due when a bin came fire with the first bin of its key group only. */
    NO_FIRE_AT_LATER_BINS,
    /** Timers that are due when a bin comes fire for all bins of its key group. */
    FIRE_ALL_BINS,
    /** All timers of a key group leave with the first bin that is asked for. */
    TIMERS_WITH_FIRST_BIN,
    /** The old owner does not say that large key groups come in bins. */
    BINS_UNTOLD,
    /** All key groups of a subscale come in as many bins as the largest. */
    BINS_OF_ALL_KEY_GROUPS,
    /** A key group that was copied ahead comes in bins. */
    COPY_IN_BINS,
    /** What was set aside before a key group came in bins waits for the first of them. */
    WAITS_FOR_FIRST_BIN,
    /** Bins come in their order, whatever waits for others. */
    BINS_IN_PLAN_ORDER,
    /** Nobody tells new owners to ask for what nobody has needed. */
    REST_UNHEARD,
    /** A checkpoint waits for sections, and nobody says so. */
    SECTIONS_AWAITED_UNHEARD,
    /** What nobody needs is asked for although it is to stay. */
    FETCHED_UNASKED,
    /** Only records at the head of what waits ask for their state. */
    ONLY_AT_HAND,
    /** Timers that are due ask for nothing. */
    DUE_UNHEARD,
    /** The old owner does not say when timers are due. */
    TIMERS_UNTOLD,
    /** The timers of all bins of a key group are said to be in the first. */
    TIMERS_OF_FIRST_BIN,
    /** Event time stands downstream until all state is there. */
    EVENT_TIME_STANDS,
    /** Timers of processing time that are due ask for nothing. */
    PROCESSING_TIME_UNHEARD,
    /** Nobody looks at processing time a second time. */
    PROCESSING_TIME_ONCE,
    /** The file of a part is removed before its new owner has read it. */
    FILE_REMOVED_WHEN_ANNOUNCED,
    /** A file is announced before all of it has been written. */
    ANNOUNCED_WHILE_WRITTEN,
    /** The new owner takes what is in a file although it is not what was written. */
    DAMAGE_UNSEEN,
    /** Nobody removes a file that has been read. */
    FILE_KEPT_WHEN_READ,
    /** The new owner reads a file that is there for another part. */
    READS_ANOTHER_FILE,
    /** All bins of a key group have one file. */
    FILE_FOR_ALL_BINS,
    /** Folders are named without the JobMaster whose rescale it is. */
    FOLDER_OF_ANY_LIFE,
    /** After a failover nobody removes what the attempt before has left. */
    NOT_SWEPT,
    /** What is removed after a failover has the files of the next attempt among it. */
    SWEPT_TOO_MUCH,
    /** With copies ahead a checkpoint may come between a subscale that is installed and settled. */
    SECTION_ENDS_AT_INSTALLED,
    /** A subscale that is installed gives its owners room for two more. */
    SLOT_FREED_TWICE,
    /** A subscale gives its owners room for another one when installed, and when settled. */
    SLOT_FREED_AGAIN,
    /** A record comes before those of its channel that are being let go. */
    NEW_BEFORE_RELEASED,
    /** Event time comes before what is being let go on its channel. */
    TIME_BEFORE_RELEASED,
    /** A subscale settles while something of it is being let go. */
    SETTLED_WITH_RELEASED,
    /** When a rescale is aborted nobody goes on with what is being let go. */
    PIECES_END_AT_ABORT,
    /** A subtask is in several subscales before it has been through with the first ones. */
    NO_WARM_UP,
    /** All subtasks are warm as soon as one of them is. */
    WARM_TOGETHER,
    /** A node has as many subscales at a time as its subtasks may be in. */
    NODE_FORGOTTEN
}
