package dev.drrs.protocol;

/**
 * Channels that are not read on for now: too much of them is set aside, an exchange to a new owner
 * is full, or they have confirmed a subscale that has not left. On the task's thread.
 */
final class ChannelHolds {

    private final GateState<?> state;
    private final AsideAccount aside;
    private final boolean[] held;
    private int heldCount;

    ChannelHolds(GateState<?> state) {
        this.state = state;
        aside = new AsideAccount(state.main.channels());
        held = new boolean[state.main.channels()];
    }

    AsideAccount aside() {
        return aside;
    }

    /** Something has been set aside on the channel, or its predecessor has switched a subscale. */
    void holdIfAsideFull(int channel) {
        if (asideFull(channel)) {
            hold(channel);
        }
        if (state.policies.waitRule().othersWait()) {
            for (int c = 0; c < held.length; c++) {
                if (waitsBehindOthers(c)) {
                    hold(c);
                }
            }
        }
    }

    /** The channel has confirmed a subscale, whose key groups stay until others have. */
    void holdUntilDetached(int channel) {
        hold(channel);
    }

    void holdIfPeerFull(int channel) {
        if (!state.outgoing.isEmpty() && peerFull(channel)) {
            hold(channel);
        }
    }

    /** Reads on where nothing is in the way any more. */
    void resume() {
        for (int c = 0; heldCount > 0 && c < held.length; c++) {
            if (held[c] && !asideFull(c) && !peerFull(c) && !isAligning(c)) {
                held[c] = false;
                heldCount--;
                state.effects.resume(c);
            }
        }
    }

    private boolean asideFull(int channel) {
        return aside.isFull(channel, state.policies.waitRule()) || waitsBehindOthers(channel);
    }

    private boolean waitsBehindOthers(int channel) {
        WaitRule rule = state.policies.waitRule();
        if (!rule.othersWait() || !aside.isFull(rule)) {
            return false;
        }
        for (Incoming<?> in : state.incoming.values()) {
            if (in.recordsAside > 0 && in.switched[channel]) {
                return true;
            }
        }
        return false;
    }

    private boolean isAligning(int channel) {
        for (Outgoing out : state.outgoing.values()) {
            if (out.confirmed[channel] && !out.detached) {
                return true;
            }
        }
        return false;
    }

    private boolean peerFull(int channel) {
        for (Outgoing out : state.outgoing.values()) {
            if (!out.forwarded[channel] && !state.effects.peerHasRoom(out.subscale)) {
                return true;
            }
        }
        return false;
    }

    private void hold(int channel) {
        if (!held[channel]) {
            held[channel] = true;
            heldCount++;
            state.effects.hold(channel);
        }
    }
}
