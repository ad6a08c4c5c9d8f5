package dev.drrs.protocol;

import java.util.ArrayDeque;

/**
 * Queues of subscales in which elements are left that need not wait any more. They take turns: what
 * comes behind the elements of one of them does not keep those of another one waiting. On the
 * task's thread.
 */
final class ReleasedQueues<E> {

    /**
     * @param channel whose elements were set aside; {@link #EXCHANGE} for those of the old owner
     */
    record Queue<E>(Incoming<E> in, int channel) {

        /** Whether its first element need not wait. */
        boolean isReleased() {
            return channel == EXCHANGE ? in.fifoReleased() : in.headReleased(channel);
        }
    }

    static final int EXCHANGE = -1;

    private final ArrayDeque<Queue<E>> queues = new ArrayDeque<>();

    /** Its turn comes after those of all others, if its first element need not wait. */
    void offer(Queue<E> queue) {
        Incoming<E> in = queue.in;
        if (!in.hasTurn(queue.channel) && queue.isReleased()) {
            in.turn(queue.channel, true);
            queues.add(queue);
        }
    }

    /** All that waits in the subscale: state has come. */
    void offerAll(Incoming<E> in) {
        for (int channel = EXCHANGE; channel < in.channels(); channel++) {
            offer(new Queue<>(in, channel));
        }
    }

    boolean isEmpty() {
        return queues.isEmpty();
    }

    /** Takes the one whose turn it is out; if something is left there it is to be offered again. */
    Queue<E> next() {
        Queue<E> queue = queues.remove();
        queue.in.turn(queue.channel, false);
        return queue;
    }
}
