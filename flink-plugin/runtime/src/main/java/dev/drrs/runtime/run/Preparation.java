package dev.drrs.runtime.run;

import dev.drrs.protocol.Phase;

/** A step before anything in the job is changed: whoever gives up then has nothing to finish. */
interface Preparation extends Step {

    @Override
    default Phase phase() {
        return Phase.PROVISIONING;
    }

    @Override
    default boolean turn(Course course) {
        return false;
    }
}
