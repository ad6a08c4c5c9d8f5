package dev.drrs.protocol;

/** What the consumers of a subtask have been told of its event time. */
final class Downstream {

    private final GateEffects<?> effects;
    private long emitted = Long.MIN_VALUE;

    /** What consumers may take for granted beyond what was emitted here. */
    private long assumed = Long.MIN_VALUE;

    /**
     * Consumers hold for this subtask from {@link #emitted} on without having heard of it: those
     * that are opened later are told what has gone out, so it has to go out once.
     */
    private boolean unsaid;

    private boolean idle;

    /** Whether it has been idle since consumers last let it hold their event time. */
    private boolean wasIdle;

    Downstream(GateEffects<?> effects) {
        this.effects = effects;
    }

    /** Before anything has gone out. */
    void activated(long lowest, long highest) {
        emitted = lowest;
        assumed = highest;
        unsaid = lowest > Long.MIN_VALUE;
    }

    /** Consumers hold for this subtask again, the furthest of them from this clock on. */
    void aligned(long consumerClock) {
        assumed = Math.max(assumed, consumerClock);
        wasIdle = false;
    }

    /** Nothing up to here may follow. */
    long promised() {
        return Math.max(emitted, assumed);
    }

    long emitted() {
        return emitted;
    }

    boolean wasIdle() {
        return wasIdle;
    }

    /** Without a subscale: the operator has told them itself. */
    void plain(long clock, boolean advanced, boolean nowIdle) {
        if (advanced) {
            unsaid &= clock < emitted;
            emitted = Math.max(emitted, clock);
        }
        idle = nowIdle;
        wasIdle |= nowIdle;
    }

    /** With subscales: the lowest clock that counts, and whether all of them are idle. */
    void update(long bound, boolean nowIdle) {
        becomeActive(nowIdle);
        if (!idle && (bound > emitted || unsaid && bound == emitted)) {
            unsaid = false;
            emitted = bound;
            effects.emitWatermark(bound);
        }
        becomeIdle(nowIdle);
    }

    private void becomeActive(boolean nowIdle) {
        if (idle && !nowIdle) {
            idle = false;
            effects.emitStatus(false);
        }
    }

    private void becomeIdle(boolean nowIdle) {
        if (nowIdle && !idle) {
            idle = true;
            wasIdle = true;
            effects.emitStatus(true);
        }
    }
}
