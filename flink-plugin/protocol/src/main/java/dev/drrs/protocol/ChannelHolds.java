package dev.drrs.protocol;

/**
 * Channels that are not read on for now: too much of them is set aside, or an exchange to a new
 * owner is full. On the task's thread.
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

    void holdIfAsideFull(int channel) {
        if (asideFull(channel)) {
            hold(channel);
        }
    }

    void holdIfPeerFull(int channel) {
        if (!state.outgoing.isEmpty() && peerFull(channel)) {
            hold(channel);
        }
    }

    /** Reads on where nothing is in the way any more. */
    void resume() {
        for (int c = 0; heldCount > 0 && c < held.length; c++) {
            if (held[c] && !asideFull(c) && !peerFull(c)) {
                held[c] = false;
                heldCount--;
                state.effects.resume(c);
            }
        }
    }

    private boolean asideFull(int channel) {
        return aside.isFull(channel, state.policies.waitRule());
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
