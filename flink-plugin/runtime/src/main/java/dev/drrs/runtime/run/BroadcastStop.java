package dev.drrs.runtime.run;

/** Waits until the broadcast inputs stand still, if there are any. Main thread. */
final class BroadcastStop implements Preparation {

    private final StepSequence steps;
    private final BroadcastPause broadcast;

    BroadcastStop(StepSequence steps, BroadcastPause broadcast) {
        this.steps = steps;
        this.broadcast = broadcast;
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
