package dev.drrs.runtime.rehearsal;

/** A rehearsal does not go on, and nothing is wrong. The message says why. */
public final class RehearsalEndedException extends Exception {

    private static final long serialVersionUID = 1L;

    public RehearsalEndedException(String why) {
        super(why);
    }
}
