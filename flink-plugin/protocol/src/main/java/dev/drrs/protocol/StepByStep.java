package dev.drrs.protocol;

import java.util.List;

/**
 * One subscale at a time, in the order of the plan: the next one is not even registered before the
 * one in front of it has settled. No state, any thread.
 */
record StepByStep() implements StartRule {

    @Override
    public boolean registers(Subscale next, Registered registered) {
        return registered.unsettled() == 0;
    }

    @Override
    public Subscale toStart(List<Subscale> ready, Running running) {
        return ready.get(0);
    }
}
