package dev.drrs.protocol;

/** What a new owner asks old owners for, and when. On the task's thread. */
final class Pulls<E> {

    private final GateState<E> state;

    Pulls(GateState<E> state) {
        this.state = state;
    }

    /** As much as the order allows: some state has become available, or has come. */
    void request(Incoming<E> in) {
        demand(in);
        PullOrder order = state.policies.pullOrder();
        while (in.mayPull(in.restWanted ? order.windowForTheRest() : order.window())) {
            pull(in, order.next(in));
        }
    }

    /** Only what is asked for at once: an element has come that waits. */
    void demand(Incoming<E> in) {
        PullOrder order = state.policies.pullOrder();
        while (in.mayDemand()) {
            int demanded = order.demanded(in);
            if (demanded < 0) {
                return;
            }
            in.demanded++;
            pull(in, demanded);
        }
    }

    private void pull(Incoming<E> in, int part) {
        in.requested(part);
        state.effects.pull(in.subscale, in.keyGroupOf(part), in.binOf(part));
    }
}
