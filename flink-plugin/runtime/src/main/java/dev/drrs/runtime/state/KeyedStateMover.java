package dev.drrs.runtime.state;

/**
 * Takes key groups out of the keyed state of one running operator and puts key groups into it.
 *
 * <p>One per operator. All methods are for the mailbox thread of the task; what they return says
 * which thread may use it. Nothing here knows who owns a key group: the caller sees to it that no
 * record or timer of a key group is processed between its detach at the old owner and its install
 * at the new owner.
 */
public interface KeyedStateMover {

    /**
     * Takes state and timers of the key groups out of the operator. Afterwards the operator has
     * nothing for them, as if no record of them had ever come. Costs a few steps per key group and
     * state, and the logarithm of the number of all timers for each timer taken out; entries of
     * state are not touched.
     *
     * @throws IllegalArgumentException if a key group is outside the range of the backend or is
     *     named twice
     * @throws IllegalStateException if a key group is in an open subscale (not joined yet) of this
     *     operator
     * @throws java.io.UncheckedIOException if the serializers of a state cannot be described; some
     *     key groups may be out already then, so the task must fail
     */
    DetachedKeyGroups detach(int... keyGroups);

    /**
     * The state of the key groups as it is now, to be sent ahead of them. From here until they are
     * detached, or the copy is released, an entry that is read or written for the first time is
     * copied before, as while a checkpoint is written. What is detached then is what has changed
     * since: good only for who has got the copy.
     *
     * @return null if this backend makes no copies
     * @throws IllegalStateException if there is a copy of one of the key groups already
     * @throws java.io.UncheckedIOException if the serializers of a state cannot be described
     */
    default CopiedKeyGroups copy(int... keyGroups) {
        return null;
    }

    /**
     * Begins to take in a key group. The result is filled on one transfer thread and installed by
     * the mailbox thread. May be called on any thread.
     *
     * @param subscale the subscale that brings the key group; only named in errors
     */
    default IncomingKeyGroup begin(int subscale, int keyGroup) {
        return begin(subscale, keyGroup, KeyBin.ALL);
    }

    /** As {@link #begin(int, int)}, for one bin of the key group. */
    IncomingKeyGroup begin(int subscale, int keyGroup, KeyBin bin);

    /**
     * Number of entries and estimated size of each key group now.
     *
     * @param samplesPerState how many entries of each state are serialised for the estimate, at
     *     least 1; the time this call takes is about that of writing these entries
     */
    StateSizes sizes(int samplesPerState);
}
