package dev.drrs.runtime.jobmanager;

import dev.drrs.protocol.Phase;

/** Waits until the broadcast inputs stand still, if there are any. Main thread. */
final class BroadcastStop implements Step {

    private final StepSequence steps;
    private final BroadcastPause broadcast;

    BroadcastStop(StepSequence steps, BroadcastPause broadcast) {
        this.steps = steps;
        this.broadcast = broadcast;
    }

    @Override
    public Phase phase() {
        return Phase.PROVISIONING;
    }

    @Override
    public boolean turn(Course course) {
        return false;
    }

    @Override
    public void begin() {
        broadcast.begin(
                fault -> {
                    if (fault == null) {
                        steps.done(this);
                    } else {
                        steps.giveUp(this, fault);
                    }
                });
    }
}
