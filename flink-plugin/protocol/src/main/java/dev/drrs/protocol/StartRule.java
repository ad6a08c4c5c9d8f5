package dev.drrs.protocol;

import java.util.List;

/**
 * When the subscales of a rescale are registered at their new owners, and when they are started.
 * Asked by a {@link Migration} in its thread; has no state.
 */
public interface StartRule {

    /**
     * Whether this one is registered now. Asked at the beginning, and whenever a subscale is
     * settled or over, about the first one in the order of the plan that each pair of owners has
     * still to register; as long as none is open it has to be so for one of them.
     *
     * <p>A new owner is bound by the event time of each old one that it has a subscale of. So a
     * pair that has more to move should never be without one that is not settled: the new owner
     * would promise its consumers more than the old one has come to, and the next would have to
     * wait.
     */
    boolean registers(Subscale next, Registered registered);

    /**
     * Which one starts next; asked again until it is null, none for now.
     *
     * @param ready those that may, in the order of the plan; not empty
     */
    Subscale toStart(List<Subscale> ready, Running running);

    /**
     * Milliseconds from one round to the next: the first is there when the first subscale is ready,
     * at most one starts in each, and none between two. 0: no rounds, they start when they may.
     */
    default long roundMillis() {
        return 0;
    }

    /** Subscales that owners have been told of. */
    interface Registered {

        /** Those from this old owner to this new owner that are neither settled nor dropped. */
        int unsettled(int oldOwner, int newOwner);

        /**
         * Those from this old owner to this new owner that have been registered since it was asked
         * for the first time about what is to be registered now.
         */
        int now(int oldOwner, int newOwner);

        /** Those that are neither settled nor dropped, of all pairs of owners. */
        int unsettled();

        /** Those that are not over: neither joined nor dropped. */
        int open();

        /** Key groups of those in front of this one, in the order of the plan. */
        long keyGroupsBefore(Subscale subscale);

        /** Key groups of those that are settled or dropped. */
        long keyGroupsOver();
    }

    /** How things stand, those counted in that have been given a start and wait for their turn. */
    interface Running {

        /**
         * Started subscales that the subtask is in, as old or new owner: until they have settled,
         * or, if a copy went ahead, until all their key groups are installed.
         */
        int started(int subtask);

        /**
         * Started subscales, counted as {@link #started} does, that have an owner on the node that
         * this subtask runs on.
         */
        int startedOnNode(int subtask);

        /** Those that the subtask was in, as old or new owner, and is not any more. */
        int left(int subtask);

        /** Key groups of a subtask, with those on their way to it. */
        int keyGroups(int subtask);

        /** Registered subscales that may not start yet, or are being dropped. */
        int unready();
    }
}
