package dev.drrs.protocol;

import java.util.List;

/**
 * All subscales start in the same moment, when the last one is ready. No state, any thread. One
 * whose old owner is idle behind its new owner (rule R2) keeps all of them.
 */
record AllAtOnce() implements StartRule {

    @Override
    public boolean registers(Subscale next, Registered registered) {
        return true;
    }

    @Override
    public Subscale toStart(List<Subscale> ready, Running running) {
        return running.unready() == 0 ? ready.get(0) : null;
    }
}
