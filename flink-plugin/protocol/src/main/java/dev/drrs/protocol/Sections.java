package dev.drrs.protocol;

/** Where a migration asks for its turn: no checkpoint falls into a section. */
public interface Sections {

    /** Runs {@code begin} once the section may begin: at once, or within a later call. */
    void requestSection(Runnable begin);

    /** One of the sections that have begun is over. */
    void sectionDone();
}
