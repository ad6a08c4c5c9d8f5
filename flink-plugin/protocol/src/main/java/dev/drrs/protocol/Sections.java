package dev.drrs.protocol;

import java.util.function.BooleanSupplier;

/** Where a migration asks for its turn: no checkpoint falls into a section. */
public interface Sections {

    /** Runs {@code begin} once the section may begin: at once, or within a later call. */
    void requestSection(Runnable begin);

    /**
     * As {@link #requestSection(Runnable)}.
     *
     * @param withdrawn whether nobody needs it any more: it begins all the same, but no checkpoint
     *     has to make way for it
     */
    default void requestSection(Runnable begin, BooleanSupplier withdrawn) {
        requestSection(begin);
    }

    /** One of the sections that have begun is over. */
    void sectionDone();
}
