package dev.drrs.runtime.role;

import dev.drrs.runtime.RescaleFailedException;
import dev.drrs.runtime.peer.PeerClosedException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Which owners have ended before the rescale did. One that comes to its regular end takes nothing
 * with it as long as no subscale is open between it and this subtask, and none may be opened then;
 * any other end of an exchange is a failure. Mailbox thread only.
 */
final class EndedPeers {

    private final IntPredicate exchanging;
    private final Set<Integer> ended = new HashSet<>();

    /**
     * @param exchanging whether a subscale may still need the exchange with a subtask
     */
    EndedPeers(IntPredicate exchanging) {
        this.exchanging = exchanging;
    }

    /**
     * An exchange has ended too early.
     *
     * @param exchange for people
     */
    void gone(int peer, String exchange, Throwable failure) throws RescaleFailedException {
        boolean regular = failure instanceof PeerClosedException closed && closed.isEndOfTask();
        if (!regular || exchanging.test(peer)) {
            throw new RescaleFailedException("peer exchange " + exchange + " broke", failure);
        }
        ended.add(peer);
    }

    /** A subscale is opened between the two. */
    void needed(int peer) throws RescaleFailedException {
        if (ended.contains(peer)) {
            throw new RescaleFailedException(
                    "key groups are to move between two subtasks, and subtask "
                            + peer
                            + " has ended already");
        }
    }

    /** The rescale is over. */
    void clear() {
        ended.clear();
    }
}
