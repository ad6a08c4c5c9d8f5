package dev.drrs.protocol;

import java.util.List;

/**
 * When the subscales of a rescale are registered at their new owners, and when they are started.
 * Asked by a {@link Migration} in its thread; has no state.
 */
public interface StartRule {

    /**
     * Which of those that are still to be registered are now. Asked at the beginning, and whenever
     * a subscale is over; as long as none is open it has to name one.
     *
     * @param planned in the order of the plan
     * @param open subscales that are registered and not over
     */
    List<Subscale> toRegister(List<Subscale> planned, int open);

    /**
     * Which one starts next; asked again until it is null, none for now.
     *
     * @param ready those that may, in the order of the plan; not empty
     */
    Subscale toStart(List<Subscale> ready, Running running);

    /** How things stand, those counted in that have been given a start and wait for their turn. */
    interface Running {

        /** Started subscales that the subtask is in, as old or new owner. */
        int started(int subtask);

        /** Key groups of a subtask, with those on their way to it. */
        int keyGroups(int subtask);
    }
}
