package dev.drrs.protocol;

import java.util.EnumSet;
import java.util.Set;

/** Where a rescale stands. */
public enum Phase {
    PLANNED,
    PROVISIONING,
    MIGRATING,
    RETIRING,
    COMPLETED,
    ABORTING,
    ABORTED,
    FAILED;

    /** The phases that may follow. */
    public Set<Phase> next() {
        return switch (this) {
            case PLANNED -> EnumSet.of(PROVISIONING, ABORTING, FAILED);
            case PROVISIONING -> EnumSet.of(MIGRATING, ABORTING, FAILED);
            case MIGRATING -> EnumSet.of(RETIRING, ABORTING, FAILED);
            case RETIRING -> EnumSet.of(COMPLETED, FAILED);
            case ABORTING -> EnumSet.of(ABORTED, FAILED);
            case COMPLETED, ABORTED, FAILED -> EnumSet.noneOf(Phase.class);
        };
    }

    public boolean isTerminal() {
        return next().isEmpty();
    }

    /** Whether an abort may still be asked for. */
    public boolean isAbortable() {
        return next().contains(ABORTING);
    }
}
