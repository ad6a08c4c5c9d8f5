package dev.drrs.protocol;

/**
 * Which subscales of an old owner are copied ahead, and how many at a time. One is copied when
 * nothing but the copy keeps it from being ready: so what takes room in the window never waits for
 * event time, and the room comes back. On the task's thread.
 */
final class CopiesAhead {

    private final GateState<?> state;
    private final GateEffects<?> effects;

    /** Of copies that are under way or at the new owner, until that one has settled. */
    private long bytes;

    CopiesAhead(GateState<?> state) {
        this.state = state;
        effects = state.effects;
    }

    void track(Outgoing out) {
        if (state.policies.copyAhead().isWanted()) {
            out.copy = Outgoing.Copy.WANTED;
        }
    }

    /** Begins as many as there is room for, in the order in which they were tracked. */
    void begin() {
        for (Outgoing out : state.outgoing.values()) {
            if (out.copy == Outgoing.Copy.WANTED && isDue(out) && !begin(out)) {
                return;
            }
        }
    }

    private boolean isDue(Outgoing out) {
        return state.main.clock() >= out.promised;
    }

    private boolean begin(Outgoing out) {
        if (out.copyBytes < 0) {
            out.copyBytes = effects.copySize(out.subscale);
        }
        if (out.copyBytes == 0) {
            out.copy = Outgoing.Copy.NONE;
            return true;
        }
        if (bytes > 0 && bytes + out.copyBytes > state.policies.copyAhead().window()) {
            return false;
        }
        bytes += out.copyBytes;
        out.copy = Outgoing.Copy.UNDER_WAY;
        effects.copyAhead(out.subscale);
        return true;
    }

    void copied(Outgoing out) {
        if (out.copy != Outgoing.Copy.UNDER_WAY) {
            throw state.unexpected("has copied " + out.subscale + ", which it does not copy");
        }
        out.copy = Outgoing.Copy.SENT;
    }

    /** The subscale is over here; it is none of the open ones any more. */
    void over(Outgoing out) {
        if (out.copy == Outgoing.Copy.SENT) {
            bytes -= out.copyBytes;
            if (!out.detached) {
                effects.dropCopy(out.subscale);
            }
        }
    }
}
