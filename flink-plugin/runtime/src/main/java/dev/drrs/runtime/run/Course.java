package dev.drrs.runtime.run;

/** Where a rescale is going. Decides which of the {@link Step}s that are left belong to it. */
enum Course {

    /** To the placement that was asked for. */
    FORWARD,

    /** Given up: back to the placement before it. */
    BACK,

    /** All inputs have ended: what has started is finished, so that the job may finish, too. */
    INPUTS_ENDED
}
